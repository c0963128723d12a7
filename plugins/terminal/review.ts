import type { ActionRequest, ApprovalRequest, Decision } from './frames.ts'
import { toVisibleJSON } from './printable.ts'
import type { Prompt } from './prompt.ts'
import { describePlace, describeRequest, isQuestion } from './request-text.ts'
import type { View } from './view.ts'

/** More of a request is shown when it is asked for. */
const MOST_ROWS = 40
/** What is longer cannot be changed on one line. */
const LONGEST_OFFERED = 2000
/** The server's limit for an answer and for a reason. */
const LONGEST_WORDS = 8000

/** Shows one request, shortened where it is long; gives how many rows that left out. */
export function showRequest(view: View, request: ApprovalRequest, index: number): number {
  const rows = describeRequest(request, index, view.columns)
  const hidden = Math.max(0, rows.length - MOST_ROWS)
  view.line(describePlace(request, index), 'yellow')
  for (const row of hidden ? rows.slice(0, MOST_ROWS) : rows) view.line(row)
  if (hidden) view.note(`  … ${hidden} more lines`)
  return hidden
}

/** Fetches the arguments of a request from where the server keeps them. */
export type FetchArguments = (args_url: string) => Promise<Record<string, unknown>>

/** Makes the function that has a person decide one request; nothing when they leave or it is taken back. */
export const createReview = ({
  prompt,
  fetchArguments,
  view,
  signal,
}: {
  prompt: Pick<Prompt, 'ask'>
  fetchArguments: FetchArguments
  view: View
  signal: AbortSignal
}) => {
  const ask = (label: string, offered?: string) => prompt.ask(label, { signal, offered })

  const showWhole = async (given: ApprovalRequest, index: number) => {
    const request = await withAllArguments(given, index)
    for (const row of describeRequest(request, index, view.columns)) view.line(row)
  }

  const withAllArguments = async (request: ApprovalRequest, index: number): Promise<ApprovalRequest> => {
    const { args_url, ...action } = request.action_requests[index]!
    if (args_url === undefined) return request
    const whole = { ...action, args: await fetchArguments(args_url) }
    return { ...request, action_requests: request.action_requests.with(index, whole) }
  }

  const fits = (words: string) => {
    const { length } = [...words]
    if (length > LONGEST_WORDS) view.note(`At most ${LONGEST_WORDS} characters can be sent, not ${length}.`)
    return length <= LONGEST_WORDS
  }

  const answer = async (request: ApprovalRequest, index: number): Promise<Decision | undefined> => {
    const hidden = showRequest(view, request, index)
    const all = hidden ? ', /show shows all of it' : ''
    for (;;) {
      view.note(`Type the answer; /reject, with or without a reason, gives none${all}.`)
      const words = (await ask('answer › '))?.trim()
      if (words === undefined) return undefined
      const refusal = /^\/reject(?:\s+(.+))?$/s.exec(words)
      if (hidden && words === '/show') await showWhole(request, index)
      else if (words && fits(words))
        return refusal ? rejection(refusal[1]) : { type: 'respond', message: words }
    }
  }

  const edit = async (
    { name, args, args_url }: ActionRequest,
    typed: string,
  ): Promise<Decision | 'back' | undefined> => {
    let offered = toVisibleJSON(args)
    if (offered.length > LONGEST_OFFERED || args_url !== undefined) {
      offered = ''
      if (!typed) view.note('The arguments are too long to be changed here: type all of them anew, as JSON.')
    }
    for (let text: string | undefined = typed || undefined; ; text = undefined) {
      text ??= await ask('edit › ', offered)
      if (text === undefined) return undefined
      if (!text.trim()) return 'back'
      const edited = readArguments(text)
      if (typeof edited !== 'string') return { type: 'edit', edited_action: { name, args: edited } }
      view.note(`${edited} Nothing goes back to the choices.`)
      offered = text.replace(/\s+/g, ' ')
    }
  }

  const reject = async (typed: string): Promise<Decision | undefined> => {
    for (let reason: string | undefined = typed || undefined; ; reason = undefined) {
      reason ??= (await ask('why, if you like to say › '))?.trim()
      if (reason === undefined) return undefined
      if (fits(reason)) return rejection(reason)
    }
  }

  const approve = async (request: ApprovalRequest, index: number): Promise<Decision | undefined> => {
    const action = request.action_requests[index]!
    const { allowed_decisions } = request.review_configs[index]!
    const isShortened = showRequest(view, request, index) > 0 || action.args_url !== undefined
    const choices = CHOICES.filter(({ type }) => (type ? allowed_decisions.includes(type) : isShortened))
    const offer = choices.map(({ word, means }) => `[${word[0]}] ${means}`).join(', ')
    for (;;) {
      view.note(offer)
      const typed = await ask('decide › ')
      if (typed === undefined) return undefined
      const [, begun = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(typed.trim())!
      const { word } = choices.find(({ word }) => [word, word[0]].includes(begun.toLowerCase())) ?? {}
      if (word === 'yes' && !rest) return { type: 'approve' }
      if (word === 'thread' && !rest) return { type: 'approve', for_thread: true }
      if (word === 'no') return reject(rest)
      if (word === 'show') await showWhole(request, index)
      const edited = word === 'edit' ? await edit(action, rest) : 'back'
      if (edited !== 'back') return edited
    }
  }

  return (request: ApprovalRequest, index: number) =>
    isQuestion(request, index) ? answer(request, index) : approve(request, index)
}

/** What is typed, whole or its first letter, for which decision; the last is for a request that was shortened. */
const CHOICES: readonly { word: string; means: string; type?: Decision['type'] }[] = [
  { word: 'yes', means: 'approve', type: 'approve' },
  { word: 'thread', means: 'approve and do not ask again in this thread', type: 'approve' },
  { word: 'edit', means: 'edit', type: 'edit' },
  { word: 'no', means: 'reject', type: 'reject' },
  { word: 'show', means: 'show all of it' },
]

const rejection = (reason: string | undefined): Decision => ({
  type: 'reject',
  ...(reason ? { message: reason } : {}),
})

/** The arguments that a text gives, or why it gives none. */
function readArguments(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : 'The arguments are an object: {"name": "value"}.'
  } catch (error) {
    return `That is not JSON: ${(error as Error).message}.`
  }
}
