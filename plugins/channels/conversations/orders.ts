import type { Locale } from '#kernel'
import type { Sender } from '#plugin-api'
import type { Decision } from '../../chat/ledger/ledger-event.ts'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { ApprovalDocument, Verdict } from './approvals.ts'
import { sayDecision } from './approvals.ts'
import type { ChatCommand, CommandName } from './commands.ts'
import { say } from './phrases.ts'

/** The longest message that a decision may carry. */
const MAX_WORDS = 8000

type DecidingCommand = Extract<CommandName, 'approve' | 'always' | 'reject' | 'answer'>

/** Who orders something, and where. */
export interface Order {
  channel: ChannelDocument
  conversation_id: string
  sender: Sender
  /** The account in whose name the agent answers. */
  user_id: string
  locale: Locale
}

/** Carries out what people order in conversations; gives what they are told, in Markdown. */
export interface Orders {
  run(order: Order, command: ChatCommand): Promise<string>
  /** What a message that is no command decides: an answer to the one question that waits for this sender, or a plain yes or no. */
  decisionIn(text: string, waiting: readonly ApprovalDocument[], sender: Sender): ChatCommand | undefined
}

const YES = /^(?:y|yes|ok|okay|approve|同意|批准|可以|好|好的|是)[.!。！]?$/i
const NO = /^(?:n|no|reject|deny|拒绝|不同意|不行|不|否)[.!。！]?$/i

/** Makes what carries out orders. */
export function createOrders({
  approvals,
  chat,
  conversations,
}: Pick<Cradle, 'approvals' | 'chat' | 'conversations'>): Orders {
  /** The request that a command is about: the one that its first word names, or the only one. */
  const choose = (waiting: readonly ApprovalDocument[], rest: string) => {
    const [word = ''] = rest.split(/\s/, 1)
    const named = waiting.find(({ _id }) => _id === word.toLowerCase())
    if (named) return { approval: named, words: rest.slice(word.length).trim() }
    return waiting.length === 1 ? { approval: waiting[0]!, words: rest } : undefined
  }

  const runDecision = async (order: Order, name: DecidingCommand, rest: string) => {
    const { channel, conversation_id, sender, locale } = order
    const waiting = await approvals.waiting(channel._id, conversation_id)
    if (waiting.length === 0) return say('nothing_waits', locale)
    const chosen = choose(waiting, rest)
    if (!chosen) {
      const codes = waiting.map(({ _id }) => `\`${_id}\``).join(', ')
      return say('which_one', locale, { codes })
    }
    const { approval, words } = chosen
    return sayVerdict(
      await approvals.decide(channel._id, approval._id, sender, decisionFor(name, words)),
      locale,
    )
  }

  return {
    async run(order, { name, rest }) {
      const { channel, conversation_id, sender, user_id, locale } = order
      switch (name) {
        case 'help':
          return say('help', locale, { sender: sender.id })
        case 'new':
          await conversations.leaveThread(channel, conversation_id)
          return say('begun', locale)
        case 'stop': {
          const thread = await conversations.findThread(channel, conversation_id, user_id)
          if (!thread?.active_turn) return say('nothing_runs', locale)
          await chat.stop(thread)
          return ''
        }
        default:
          return runDecision(order, name, rest)
      }
    },
    decisionIn(text, waiting, { id }) {
      const theirs = waiting.filter(({ deciders }) => deciders.includes(id))
      if (theirs.length !== 1 || text.trim() === '') return undefined
      const [{ _id: code, allowed }] = theirs as [ApprovalDocument]
      if (allowed.includes('respond')) return { name: 'answer', rest: `${code} ${text}` }
      if (YES.test(text.trim())) return { name: 'approve', rest: code }
      if (NO.test(text.trim())) return { name: 'reject', rest: code }
      return undefined
    },
  }
}

/** What a command decides; `always` allows a tool for the whole thread. */
export function decisionFor(name: DecidingCommand, words: string): Decision {
  const message = words.slice(0, MAX_WORDS)
  if (name === 'answer') return { type: 'respond', message }
  if (name === 'reject') return { type: 'reject', ...(message && { message }) }
  return { type: 'approve', ...(name === 'always' && { for_thread: true }) }
}

/** How a decision went, in words. */
export function sayVerdict(verdict: Verdict, locale: Locale): string {
  if (verdict.outcome === 'taken') return sayDecision(verdict.decision, locale)
  if (verdict.outcome !== 'no_such_decision') return say(verdict.outcome, locale)
  const names = { approve: '/approve', edit: undefined, reject: '/reject', respond: '/answer' }
  const possible = verdict.allowed.flatMap((type) => names[type] ?? []).join(', ')
  return say('no_such_decision', locale, { possible })
}
