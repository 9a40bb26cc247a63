"""Short word lists that the gazetteer needs and no source brings."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES = _words(
    "dr dra doctor doktor doc mr mrs ms miss mister prof professor nurse sister sr matron"
    " midwife judge"
    " justice sir dame lord lady madam father fr rev reverend pastor rabbi imam sheikh herr frau"
    " monsieur madame mme mlle señor señora senor senora sra srta signor signora don doña dona"
    " coach captain capt sergeant sgt officer lieutenant lt colonel col general gen major"
    " aunt auntie aunty uncle grandma grandpa granny teacher pharmacist therapist surgeon"
    " consultant physiotherapist counsellor counselor councillor president senator governor"
    " minister inspector detective bruder brother cousin pan pani"
)
"""Words before a name; the title itself tells little and stays."""

STRONG_TITLES = _words(
    "dr dra mr mrs ms miss prof professor mme mlle herr frau sra srta señor señora signor signora"
    " judge nurse sir dame rev capt sgt mister madame monsieur"
)
"""Titles after which even a word in lower case is a name."""

KINSHIP = _words(
    "son daughter wife husband mother father mom mum mama dad papa brother sister cousin uncle aunt"
    " niece nephew grandson granddaughter grandmother grandfather grandma grandpa gran baby child"
    " kid boy girl partner boyfriend girlfriend fiance fiancee fiancé fiancée friend friends buddy"
    " mate flatmate roommate neighbour neighbor colleague boss gaffer manager carer caregiver nanny"
    " twin twins toddler newborn infant stepson stepdaughter stepfather stepmother husband's lad"
    " lass kids children sons daughters brothers sisters nurse doctor secretary assistant dog"
    " patient psychologist counsellor counselor therapist dietitian physio physiotherapist midwife"
    " client tenant landlord pharmacist dentist teacher named called name"
)
"""Words after which a capitalised word names a person."""

DRUG_CUES = _words(
    "tab tabs tablet tablets cap caps capsule capsules syrup inj injection cream gel drops drop"
    " ointment take takes taking took taken prescribed prescribe using use used on of for start"
    " started like or the a an as medicine medicines medication drug drugs antibiotic dose lotion"
    " spray shampoo soap face apply applied applying some any no pill pills brand to stopped stop"
    " than via per test vitamin virus bacteria anti"
)
"""Words before a medicine or a term: an unknown capitalised word after them is no person."""

DRUG_FOLLOWERS = _words(
    "mg mcg ml tablet tablets tab syrup cream gel ointment injection injections drops capsule"
    " capsules spray lotion dose doses forms form scale pill pills shampoo soap powder plus forte"
    " xr sr er cr ds once twice thrice daily"
)

PERSONAL_VERBS = _words(
    "said says asked asks told tells shouted spent went came comes lives lived works worked called"
    " calls wants wanted thinks thought knows knew likes liked wrote writes sent sends died met"
    " brought drove cried cries sleeps slept eats ate had indicated passed"
)
"""Verbs whose subject is a person; "is" and "helps" could have a medicine for theirs."""

PARTICLES = _words(
    "van von der den de da di del della dos das du la le el al bin ibn bint abu ben ter ten te zu"
    " af av e y san st mac"
)

GREETINGS = _words("dear hi hello hey hiya hallo hej hola bonjour ciao salut")

CLOSINGS = _words(
    "regards regard thanks thank thankyou thx sincerely yours cheers wishes love respectfully"
    " faithfully truly gratefully best signed xx xxx bye cordially"
)

EPONYMS = _words(
    "parkinson parkinsons alzheimer alzheimers crohn crohns hashimoto hashimotos bell bells down"
    " downs graves addison addisons cushing cushings hodgkin hodgkins raynaud raynauds sjogren"
    " sjogrens meniere menieres tourette tourettes asperger aspergers huntington huntingtons wilson"
    " wilsons barrett barretts paget pagets peyronie peyronies kegel kegels foley doppler holter"
    " epley babinski pap lyme marfan turner klinefelter kawasaki guillain barre gehrig bartholin"
    " baker bakers achilles fallopian montgomery braxton hicks apgar glasgow mantoux widal romberg"
    " heimlich ewing kaposi osgood schlatter dupuytren quervain perthes legg scheuermann charcot"
    " marie tooth behcet behcets wegener wegeners still stills fordyce fournier gilbert gilberts"
    " gleason coombs kernig murphy murphys mcburney trendelenburg wolff white schwann langerhans"
    " purkinje golgi krebs bowman henle malpighi peyer kupffer sertoli leydig graaf bowen bowens"
    " berger bergers buerger conn fanconi gaucher hirschsprung kallmann korsakoff wernicke broca"
    " lambert eaton lewy mallory weiss munchausen noonan osler pott potts prinzmetal reiter reye"
    " reyes rett sever tietze tay sachs vincent whipple zollinger ellison wilms burkitt ehlers"
    " danlos epstein barr coxsackie norwalk ebola zika bristol stevens johnson prader willi"
    " ehlers-danlos jackson-pratt epstein-barr braxton-hicks kirschner kocher hickman petri"
    " angelman colles smith salter harris lasegue lachman mcmurray phalen tinel finkelstein thomas"
    " spurling hoffman hoffmann chvostek trousseau valsalva brandt daroff dix hallpike snellen"
    " ishihara rinne weber goldmann amsler schirmer papanicolaou gram ziehl neelsen giemsa wright"
    " hutchinson koplik bouchard heberden tanner bishop edinburgh beck hamilton norton waterlow"
)
"""Names that live on in medicine: no person unless a title, a kin or a given name says so."""

EPONYM_HEADS = _words(
    "disease diseases syndrome syndromes palsy sign signs test tests thyroiditis lymphoma sarcoma"
    " phenomenon contracture esophagus oesophagus smear scan scale score exercise exercises cyst"
    " cysts gland glands catheter monitor maneuver manoeuvre tendon tube tubes contractions ulcer"
    " duct node nodes stain virus dementia bodies body tumour tumor arthritis spots cells oil diet"
    " chorea ataxia fracture stool chart procedure method ring lesion triad law cancer patch"
    " treatment therapy surgery ultrasound study examination exam anaemia anemia esophagitis"
    " hernia stage criteria"
)

ORGANIZATION_HEADS = _words(
    "hospital hospitals clinic clinics infirmary polyclinic surgery practice pharmacy pharmacies"
    " medical centre center university college school academy institute institution foundation"
    " trust bank insurance inc ltd llc gmbh plc corp corporation company co limited llp sa ag bv"
    " ab as oy kg srl pvt group holdings partners associates systems solutions technologies"
    " technology logistics airlines airways consulting industries enterprises services foods"
    " bakeries bakery freight laboratories laboratory labs lab library church mosque temple parish"
    " council authority department ministry court tribunal police union association society club"
    " studio atelier hospice lodge preschool kindergarten daycare nursery dermatology neurology"
    " urology cardiology dental dentistry orthopaedics orthopedics optik apotek apotheke pharma"
    " pharmaceuticals health healthcare relief charity chambers surveyors timber transport motors"
    " media press news times post herald hotel restaurant cafe store stores market supermarket"
    " krankenkasse klinik klinikum krankenhaus praxis charité bakehouse roasters fc united allergy"
    " physiotherapy unit ward imaging radiology diagnostics bedachungen allergi vidyalaya aid"
    " schools soccer youth medicine rooms general spital eye"
)
"""Last words of organisations' names."""

ORGANIZATION_LEADS = _words(
    "hospital hospitals clinica clínica clinique clinic hôpital hopital ospedale spitalul szpital"
    " nemocnice przychodnia poliambulatorio ysbyty centro centre praxis studio universidad"
    " universität université università university college institut instituto colegio escuela liceo"
    " ubezpieczenia stocznia knihovna optik minera galleria agia bank banque banco farmacia"
    " pharmacie apotheke gefäßzentrum atelier aroskliniken klinika klinik dental"
)
"""First words of organisations' names in other languages."""

GENERIC_BEFORE_HEADS = _words(
    "a an the my our your his her their this that local general university medical public private"
    " community city county state national government district nearby new old same another any some"
    " chat doctor hello hi dear at in to from of and or i you we he she it please when where which"
    " emergency mental primary secondary high middle elementary home health dental eye family"
    " womens women's children's childrens outpatient inpatient urgent walk-in"
)

PLACE_PREPOSITIONS = _words(
    "in at from near to around outside via through towards toward across visiting leaving reach"
    " reached visited en à aus nach"
)

PLAIN_WORDS = _words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april june"
    " july august september october november december english french german spanish italian"
    " portuguese dutch swedish norwegian danish finnish polish russian ukrainian turkish greek"
    " arabic hebrew hindi urdu bengali tamil telugu marathi gujarati punjabi chinese mandarin"
    " cantonese japanese korean vietnamese thai indonesian malay filipino american british irish"
    " scottish welsh canadian australian mexican brazilian argentine chilean colombian peruvian"
    " indian pakistani bangladeshi nepali nepalese african asian european latin hispanic caucasian"
    " jewish muslim hindu buddhist catholic protestant iranian iraqi israeli egyptian"
    " moroccan nigerian kenyan ghanaian ethiopian somali syrian lebanese saudi afghan austrian"
    " swiss belgian czech slovak hungarian romanian bulgarian serbian croatian albanian estonian"
    " latvian lithuanian icelandic cuban jamaican persian kurdish armenian georgian"
    " chatdoctor chat doctor google facebook whatsapp iphone android skype youtube medicare"
    " medicaid covid internet email e-mail emails online website app hpv hiv ecg ekg mri cat"
    " ultrasound xray x-ray usg ivf iui pcos pcod gerd ibs copd adhd ocd ptsd hcg tsh wbc rbc ldl"
    " hdl esr crp lft lfts uti utis sti stis std stds bmi icu er gp ent obgyn ob gyn opd otc"
    " christmas"
    " easter ramadan diwali ok okay hello hi hey sir madam god lord allah"
    " vitamin vit hepatitis tylenol advil motrin aleve benadryl nexium zantac prilosec pepcid"
    " viagra cialis botox xanax valium prozac zoloft lexapro celexa lipitor crestor zocor plavix"
    " coumadin lasix synthroid augmentin crocin dolo combiflam pantocid pantop rantac zincovit"
    " calpol nurofen panadol voltaren betadine neosporin vaseline dettol listerine clotrimazole"
    " azithromycin adcal depo mirena plan nuvaring yaz clomid duphaston susten meftal"
    " shelcal limcee becosules folvite evion livogen dexorange ayurveda ayurvedic homeopathy"
    " homeopathic unani reiki pilates yoga helicobacter pylori coli staph strep candida chlamydia"
    " norco vicks percocet vicodin lortab ultram adderall ritalin concerta klonopin ativan ambien"
    " cymbalta effexor wellbutrin paxil seroquel abilify lyrica neurontin topamax keppra imodium"
    " mucinex sudafed claritin zyrtec allegra flonase singulair ventolin bactrim cipro flagyl"
    " diflucan premarin provera lotrimin imitrex phenergan zofran reglan humira enbrel tums rogaine"
    " forum helloo hii root canal apple adams tai chi jaggery igg ige igm iga afib dose mami mummy"
    " omega corona radiata pontis implanon moringa irena theres freckles depot greetings howell"
    " red north south east west"
    " pole wine blue green lake hills garden urban"
    " housing development government nitrofurantoin gatorade eucerin nasal"
    " beta alpha gamma delta blocker blockers trichomonas giardia salmonella gastro endo neuro"
    " ortho cardio derm derma physio"
    " case tdap iban nino reisepass führerschein personalausweis kennzeichen"
)
"""Words that are written with a capital and name nobody."""

FUNCTION_WORDS = _words(
    "a an the i me my mine we us our you your he him his she her it its they them their this that"
    " these those who whom whose what which when where why how if then else so but and or nor not"
    " no yes as at by for from in into of off on out over to up with without about after before"
    " again also any all both each few more most other some such only own same than too very can"
    " could may might must shall should will would do does did done has have had having be am is"
    " are was were been being get got go going take taking let see said please kindly just now"
    " today tomorrow yesterday here there since until while because though although however well"
    " good great nice first second last next new old many much every one two three never always"
    " sometimes maybe perhaps still even back im ive id ill dont cant wont isnt hope hoping need"
    " help want any can could im u ur pls plz thank thanks regards welcome wellcome sorry happy"
    " age male female man woman mr mrs ms dr none per via till like look keep make try use used"
    " theres doesnt didnt isnt wasnt arent werent hasnt havent hadnt wouldnt couldnt shouldnt"
    " thats hes"
    " shes theyre youre were weve youve theyve chat hear think know said says told ask asked"
    " drink eat avoid consult apply read rest stop start best wish kind warm"
)
"""Words that begin sentences and never names, however they are capitalised."""

OTHER_PLACES = _words(
    "bangalore bombay calcutta madras poona baroda trivandrum cochin pondicherry saigon peking"
    " england scotland wales britain uk usa uae korea holland persia burma europe africa asia"
    " america scandinavia balkans caribbean antarctica arctic siberia tuscany bavaria catalonia"
    " brittany normandy flanders punjab kerala gujarat rajasthan maharashtra karnataka bihar"
    " assam kashmir haryana odisha telangana cornwall devon yorkshire kent essex sussex surrey"
    " norfolk suffolk ontario quebec alberta manitoba tasmania queensland crete sicily sardinia"
    " lanzarote tenerife mallorca majorca ibiza bali goa"
)
"""Places that the list of cities does not spell so or does not hold."""
