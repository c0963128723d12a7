import type { ActionRequest, ApprovalRequest, Decision } from './frames.ts'
import { toVisibleJSON } from './printable.ts'
import type { Prompt } from './prompt.ts'
import { describeHeading, describeRequest, isQuestion } from './request-text.ts'
import type { View } from './view.ts'

/** The rows of a request that are shown at first. */
const MAX_ROWS = 40
/** The longest arguments that can be edited on one line. */
const MAX_EDITABLE_CHARS = 2000
/** The server's limit for an answer and for a reason. */
const MAX_WORDS_CHARS = 8000

/** Shows one request, shortened if it is long; returns the number of rows left out. */
export function showRequest(view: View, request: ApprovalRequest, index: number): number {
  const rows = describeRequest(request, index, view.columns)
  const hidden = Math.max(0, rows.length - MAX_ROWS)
  view.line(describeHeading(request, index), 'yellow')
  for (const row of hidden ? rows.slice(0, MAX_ROWS) : rows) view.line(row)
  if (hidden) view.note(`  … ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`)
  return hidden
}

/** Fetches the whole arguments of a request from the server. */
export type FetchArguments = (args_url: string) => Promise<Record<string, unknown>>

/** Creates the function that asks a person about one request; undefined if the person leaves or it is withdrawn. */
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

  const showWhole = async (request: ApprovalRequest, index: number) => {
    const whole = await withAllArguments(request, index)
    for (const row of describeRequest(whole, index, view.columns)) view.line(row)
  }

  const withAllArguments = async (request: ApprovalRequest, index: number): Promise<ApprovalRequest> => {
    const { args_url, ...action } = request.action_requests[index]!
    if (args_url === undefined) return request
    const whole = { ...action, args: await fetchArguments(args_url) }
    return { ...request, action_requests: request.action_requests.with(index, whole) }
  }

  const fits = (words: string) => {
    const { length } = [...words]
    if (length > MAX_WORDS_CHARS)
      view.note(`At most ${MAX_WORDS_CHARS} characters can be sent, not ${length}.`)
    return length <= MAX_WORDS_CHARS
  }

  const answer = async (request: ApprovalRequest, index: number): Promise<Decision | undefined> => {
    const hidden = showRequest(view, request, index)
    const all = hidden ? ', or /show to see all of it' : ''
    const options = readOptions(request.action_requests[index]!)
    const expected =
      options.length > 0 ? `a number from 1 to ${options.length}, or another answer` : 'the answer'
    for (;;) {
      view.note(`Type ${expected}, or /reject with or without a reason${all}.`)
      const words = (await ask('answer › '))?.trim()
      if (words === undefined) return undefined
      const refusal = /^\/reject(?:\s+(.+))?$/s.exec(words)
      if (hidden && words === '/show') await showWhole(request, index)
      else if (words && fits(words))
        return refusal ? rejection(refusal[1]) : { type: 'respond', message: chooseOption(options, words) }
    }
  }

  const edit = async (
    { name, args, args_url }: ActionRequest,
    typed: string,
  ): Promise<Decision | 'back' | undefined> => {
    let offered = toVisibleJSON(args)
    if (offered.length > MAX_EDITABLE_CHARS || args_url !== undefined) {
      offered = ''
      if (!typed) view.note('The arguments are too long to edit here. Type them again in full, as JSON.')
    }
    for (let text: string | undefined = typed || undefined; ; text = undefined) {
      text ??= await ask('edit › ', offered)
      if (text === undefined) return undefined
      if (!text.trim()) return 'back'
      const edited = readArguments(text)
      if (typeof edited !== 'string') return { type: 'edit', edited_action: { name, args: edited } }
      view.note(`${edited} Leave the line empty to return to the choices.`)
      offered = text.replace(/\s+/g, ' ')
    }
  }

  const reject = async (typed: string): Promise<Decision | undefined> => {
    for (let reason: string | undefined = typed || undefined; ; reason = undefined) {
      reason ??= (await ask('reason (optional) › '))?.trim()
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
      const [, begun = '', details = ''] = /^(\S*)\s*(.*)$/s.exec(typed.trim())!
      const { word } = choices.find(({ word }) => [word, word[0]].includes(begun.toLowerCase())) ?? {}
      if (word === 'yes' && !details) return { type: 'approve' }
      if (word === 'thread' && !details) return { type: 'approve', for_thread: true }
      if (word === 'no') return reject(details)
      if (word === 'show') await showWhole(request, index)
      const edited = word === 'edit' ? await edit(action, details) : 'back'
      if (edited !== 'back') return edited
    }
  }

  return (request: ApprovalRequest, index: number) =>
    isQuestion(request, index) ? answer(request, index) : approve(request, index)
}

/** The words to type, in full or by their first letter, with their decisions; `show` is for a shortened request. */
const CHOICES: readonly { word: string; means: string; type?: Decision['type'] }[] = [
  { word: 'yes', means: 'approve', type: 'approve' },
  { word: 'thread', means: 'approve, and always allow it in this thread', type: 'approve' },
  { word: 'edit', means: 'edit', type: 'edit' },
  { word: 'no', means: 'reject', type: 'reject' },
  { word: 'show', means: 'show all of it' },
]

/** Returns the answers that a question offers, which its description numbers from 1. */
const readOptions = ({ args: { options } }: ActionRequest): string[] =>
  Array.isArray(options) ? options.filter((option) => typeof option === 'string') : []

/** Returns the option with the number that was typed; any other answer as it is. */
const chooseOption = (options: readonly string[], words: string): string =>
  (/^\d{1,3}$/.test(words) && options[Number(words) - 1]) || words

const rejection = (reason: string | undefined): Decision => ({
  type: 'reject',
  ...(reason ? { message: reason } : {}),
})

/** Returns the arguments in a text, or the reason why it has none. */
function readArguments(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject
      ? (value as Record<string, unknown>)
      : 'The arguments must be an object: {"name": "value"}.'
  } catch (error) {
    return `This is not valid JSON: ${(error as Error).message}.`
  }
}
