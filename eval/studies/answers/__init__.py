"""The study of answers: refusals, follow-up questions, and answers read one by one."""
