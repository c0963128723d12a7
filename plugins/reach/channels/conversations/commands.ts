import type { Locale, Sender } from '#plugin-api'
import type { ThreadDocument } from '../../../conversations/chat/documents.ts'
import type { Decision } from '../../../conversations/chat/ledger/ledger-event.ts'
import type { ChannelDocument, InboxDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { type ApprovalDocument, sayDecision, type Verdict } from './approvals.ts'
import { say } from './phrases.ts'

const NAMES = ['stop', 'new', 'help', 'approve', 'always', 'reject', 'answer'] as const

/** A command that a person can type at the beginning of a message. */
export type CommandName = (typeof NAMES)[number]

/** A command and the text after it. */
export interface ChatCommand {
  name: CommandName
  argument: string
}

/** Other words for commands; some clients send `/start` when a conversation is opened. */
const SYNONYMS: Readonly<Record<string, CommandName>> = {
  start: 'help',
  cancel: 'stop',
  reset: 'new',
  deny: 'reject',
}

/** Commands that run while a message is being answered. */
const URGENT: readonly CommandName[] = ['stop', 'help', 'approve', 'always', 'reject', 'answer']

/**
 * Parses the command in a message; undefined if the message has no known command. `/help` and `/start` with words behind
 * them are no commands: the words are meant for the agent.
 */
export function parseCommand(text: string): ChatCommand | undefined {
  const [, word, argument = ''] = /^\s*\/([a-z]+)(?:\s+(.*))?$/is.exec(text) ?? []
  if (word === undefined) return undefined
  const said = word.toLowerCase()
  const name = NAMES.find((command) => command === said) ?? SYNONYMS[said]
  if (name === 'help' && argument.trim() !== '') return undefined
  return name && { name, argument: (name === 'new' ? argument.replace(REPEATED_NEW, '') : argument).trim() }
}

/** Matches further commands that begin a new conversation, which change nothing. */
const REPEATED_NEW = /^\s*(?:\/(?:new|reset)(?:\s+|$))+/i

/** Returns the words that a message has for the agent: `/start hello` greets with "hello", `/help me` asks for help. */
export const readWords = (text: string): string =>
  text.replace(/^\s*\/start\s+(?=\S)/i, '').replace(/^\s*\/(?=help\s+\S)/i, '')

/** True if a command runs while a message is being answered. */
export const isUrgent = ({ name }: ChatCommand): boolean => URGENT.includes(name)

/** Matches what a client puts before or behind the words of a decision to address the bot. */
const MENTIONS = /^(?:@\S+\s+)+|(?:\s+@\S+)+$/g

/** The longest message of a decision, in characters. */
const MAX_MESSAGE_CHARS = 8000
/** The longest text that is examined for a yes or no, in characters: its time grows with the square. */
const MAX_DECISION_CHARS = 500

/** Time in which the end of a stopped turn is delivered, in milliseconds; then its delivery is stopped as well. */
const STOPPED_DELIVERY_MS = 5000

type DecidingCommand = Extract<CommandName, 'approve' | 'always' | 'reject' | 'answer'>

/** The message with a command, and its channel. */
export interface CommandContext {
  channel: ChannelDocument
  message: InboxDocument
  /** The account of the agent's owner. */
  user_id: string
  locale: Locale
  /** Ends the delivery of an answer after a time in milliseconds; false if none is under way. */
  stopDelivery(after_ms: number): Promise<boolean>
}

const YES = /^(?:y|yes|ok|okay|approve|同意|批准|可以|好|好的|是)[.!。！]?$/i
const NO = /^(?:n|no|reject|deny|拒绝|不同意|不行|不|否)[.!。！]?$/i

/** Runs the commands that people type in conversations. */
export type Commands = ReturnType<typeof createCommands>

/** Creates the service that runs commands. */
export function createCommands({
  approvals,
  chat,
  conversations,
  messageInbox,
}: Pick<Cradle, 'approvals' | 'chat' | 'conversations' | 'messageInbox'>) {
  /** Finds the request that a command decides: the one whose code is the first word, or the only one. */
  const choose = (waiting: readonly ApprovalDocument[], argument: string) => {
    const [word = ''] = argument.split(/\s/, 1)
    const named = waiting.find(({ _id }) => _id === word.toLowerCase())
    if (named) return { approval: named, words: argument.slice(word.length).trim() }
    return waiting.length === 1 ? { approval: waiting[0]!, words: argument } : undefined
  }

  const runDecision = async (context: CommandContext, name: DecidingCommand, argument: string) => {
    const { channel, message, locale } = context
    const { conversation_id, sender } = message
    const waiting = await approvals.listWaiting(channel._id, conversation_id)
    if (waiting.length === 0) return say('nothing_waits', locale)
    const chosen = choose(waiting, argument)
    if (!chosen) {
      const codes = waiting.map(({ _id }) => `\`${_id}\``).join(', ')
      return say('which_one', locale, { codes })
    }
    const { approval, words } = chosen
    return sayVerdict(
      await approvals.decide(channel._id, approval._id, sender, toDecision(name, words)),
      locale,
    )
  }

  /**
   * Stops the turn of a conversation and, unless the end of the turn is delivered soon, its delivery; false if neither is
   * under way.
   */
  const stop = async ({ stopDelivery }: CommandContext, thread: ThreadDocument | undefined) => {
    if (!thread?.active_turn) return stopDelivery(0)
    await chat.stop(thread)
    await stopDelivery(STOPPED_DELIVERY_MS)
    return true
  }

  return {
    /** Runs a command and returns the text to answer with, in Markdown; empty if no answer is needed. */
    async run(context: CommandContext, { name, argument }: ChatCommand): Promise<string> {
      const { channel, message, user_id, locale } = context
      const { conversation_id, sender } = message
      switch (name) {
        case 'help':
          return say('help', locale, { sender: sender.id })
        case 'new': {
          const thread = await conversations.findThread(channel, conversation_id, user_id)
          await stop(context, thread)
          if (thread) await messageInbox.keepThread(message, thread._id)
          await conversations.leaveThread(channel, conversation_id)
          return argument === '' ? say('begun', locale) : ''
        }
        case 'stop': {
          const thread = await conversations.findThread(channel, conversation_id, user_id)
          const isTurn = Boolean(thread?.active_turn)
          if (!(await stop(context, thread))) return say('nothing_runs', locale)
          // The end of a stopped turn is shown with its answer.
          return isTurn ? '' : say('stopped', locale)
        }
        default:
          return runDecision(context, name, argument)
      }
    },
    /** Parses the decision in a message without a command: an answer to the sender's only open question, or yes or no. */
    parseDecision(
      text: string,
      waiting: readonly ApprovalDocument[],
      { id }: Sender,
    ): ChatCommand | undefined {
      const theirs = waiting.filter(({ deciders }) => deciders.includes(id))
      if (theirs.length !== 1 || text.trim() === '') return undefined
      const [{ _id: code, allowed }] = theirs as [ApprovalDocument]
      if (allowed.includes('respond')) return { name: 'answer', argument: `${code} ${text}` }
      if (text.length > MAX_DECISION_CHARS) return undefined
      const words = text.trim().replace(MENTIONS, '')
      if (YES.test(words)) return { name: 'approve', argument: code }
      if (NO.test(words)) return { name: 'reject', argument: code }
      return undefined
    },
  }
}

/** Returns the decision of a command; `always` allows a tool for the whole thread. */
export function toDecision(name: DecidingCommand, words: string): Decision {
  const message = words.slice(0, MAX_MESSAGE_CHARS)
  if (name === 'answer') return { type: 'respond', message }
  if (name === 'reject') return { type: 'reject', ...(message && { message }) }
  return { type: 'approve', ...(name === 'always' && { for_thread: true }) }
}

/** Returns the answer to a person who decided. */
export function sayVerdict(verdict: Verdict, locale: Locale): string {
  if (verdict.outcome === 'taken') return sayDecision(verdict.decision, locale)
  if (verdict.outcome !== 'no_such_decision') return say(verdict.outcome, locale)
  const names = { approve: '/approve', edit: undefined, reject: '/reject', respond: '/answer' }
  const possible = verdict.allowed.flatMap((type) => names[type] ?? []).join(', ')
  return say('no_such_decision', locale, { possible })
}
