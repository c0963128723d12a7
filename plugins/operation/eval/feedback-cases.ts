import type { Client, components } from '#client'
import { type EvalCase, shortName } from './cases.ts'
import { RefusedError, readReply } from './replies.ts'

type Vote = components['schemas']['Feedback']

/** The most votes of a page. */
const PAGE_ROWS = 50

/** Reads the newest votes on answers of an agent as cases. Throws a sentence if there are none. */
export async function readFeedbackCases(
  service: Client,
  { agent_id, most }: { agent_id: string; most: number },
): Promise<EvalCase[]> {
  const votes: Vote[] = []
  let cursor: string | undefined
  do {
    const query = { agent_id, limit: PAGE_ROWS, ...(cursor && { cursor }) }
    const { rows, next } = await readReply(service.GET('/admin/feedback', { params: { query } })).catch(
      explain,
    )
    votes.push(...(rows as Vote[]))
    cursor = next
  } while (cursor !== undefined && votes.length < most)
  const cases = votes
    .filter(({ question }) => question.trim() !== '')
    .slice(0, most)
    .map(toCase)
  if (cases.length === 0) throw new Error('No answer of this agent to a text has been rated yet.')
  return cases
}

function explain(error: unknown): never {
  const isOff = error instanceof RefusedError && error.status === 404
  throw isOff ? new Error('Answers cannot be rated on this server: its plugin feedback is off.') : error
}

function toCase({ value, reasons, comment, question, answer }: Vote, index: number): EvalCase {
  const judge =
    value === 1
      ? 'The answer says the same as the reference in all that matters; other words are fine.'
      : `The answer avoids what was wrong with the rejected answer: ${describeFault({ reasons, comment })}.`
  return {
    line: index + 1,
    name: `${value === 1 ? '+' : '-'} ${shortName(question)}`,
    input: question,
    files: [],
    expect: { judge },
    rated: { value, answer },
  }
}

const describeFault = ({ reasons, comment }: Pick<Vote, 'reasons' | 'comment'>): string => {
  const named = reasons.map((reason) => reason.replaceAll('_', ' ')).join(', ')
  return [named, comment].filter(Boolean).join('; ') || 'the person disliked it, so it must be clearly better'
}
