import { readInput } from '../messages/describe-call.ts'
import type { Request } from './decisions.ts'

/** A question of the agent, with the answers to choose from. */
export interface Question {
  text: string
  options: readonly string[]
  /** True if several options may be chosen. */
  isMultiple: boolean
}

/** The arguments of a tool that asks: a question, and options as texts. */
function readQuestion(input: unknown): Question | undefined {
  const { question, options, multiple } = readInput(input)
  if (typeof question !== 'string') return undefined
  const texts = Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []
  return { text: question, options: [...new Set(texts)], isMultiple: multiple === true }
}

/** The question of a request: with options if its tool has passed some, otherwise all of its text. */
export function questionOf({ args, description }: Request): Question {
  const question = readQuestion(args)
  return question && question.options.length > 0 && description.startsWith(question.text)
    ? question
    : { text: description, options: [], isMultiple: false }
}
