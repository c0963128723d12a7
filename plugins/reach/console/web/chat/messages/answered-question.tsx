import { t } from '../../i18n/words.ts'
import { Markdown } from '../markdown/markdown.tsx'
import classes from './answered-question.module.css'
import { readInput } from './describe-call.ts'
import type { Call } from './parts.ts'

interface Answered {
  question: string
  answer: string
}

/** The question of a call and the answer to it, once there is one. */
export function readAnswered({ name, input, output, is_error }: Call): Answered | undefined {
  const { question } = readInput(input)
  return name === 'ask_user_question' && typeof question === 'string' && output !== undefined && !is_error
    ? { question, answer: output }
    : undefined
}

/** A question of the agent with the answer that was given. */
export const AnsweredQuestion = ({ question, answer }: Answered) => (
  <section className={classes.exchange} aria-label={t('approvals.question')}>
    <div className={classes.question}>
      <Markdown text={question} />
    </div>
    <p className={classes.answer}>{answer}</p>
  </section>
)
