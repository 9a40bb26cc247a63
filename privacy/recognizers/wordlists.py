"""Titles and particles of names; what the lexicon adds to the lists of its sources."""

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
"""Words before a name; the title itself identifies no one and stays."""

PARTICLES = _words(
    "van von der den de da di del della dos das du la le el al bin ibn bint abu ben ter ten te zu"
    " af av e y san st mac"
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
"""Words with a capital that name no one."""

OTHER_PLACES = _words(
    "bangalore bombay calcutta madras poona baroda trivandrum cochin pondicherry saigon peking"
    " england scotland wales britain uk usa uae korea holland persia burma europe africa asia"
    " america scandinavia balkans caribbean antarctica arctic siberia tuscany bavaria catalonia"
    " brittany normandy flanders punjab kerala gujarat rajasthan maharashtra karnataka bihar"
    " assam kashmir haryana odisha telangana cornwall devon yorkshire kent essex sussex surrey"
    " norfolk suffolk ontario quebec alberta manitoba tasmania queensland crete sicily sardinia"
    " lanzarote tenerife mallorca majorca ibiza bali goa"
)
"""Places that the list of cities lacks or spells differently."""

FUNCTION_WORDS = _words(
    "The the a an of in on at to for by with from and or that this which his her its their"
    " Mr Mrs Ms Mx Dr Prof"
)
"""Alone, such a word is the rest of a value that was found in part or overlaps another span. It
identifies no one, and every other occurrence in the text would be hidden with it."""
