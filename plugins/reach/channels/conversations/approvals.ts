import { createHash } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import {
  AppError,
  type Button,
  type ConversationType,
  cutText,
  type JSONValue,
  type Locale,
  type Sender,
} from '#plugin-api'
import type { ThreadDocument } from '../../../conversations/chat/documents.ts'
import type {
  ActionRequest,
  Decision,
  DecisionType,
  PendingApproval,
  ResolvedApproval,
} from '../../../conversations/chat/ledger/ledger-event.ts'
import type { CommonSettings } from '../config/common-settings.ts'
import type { InboxDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { say } from './phrases.ts'

/** One decision that a turn waits for and that was asked in a conversation; `_id` is the code that people type. */
export interface ApprovalDocument {
  _id: string
  channel_id: string
  conversation_id: string
  conversation_type: ConversationType
  user_id: string
  agent_id: string
  thread_id: string
  pending_id: string
  /** Its index among the requests that the turn waits for. */
  index: number
  description: string
  allowed: DecisionType[]
  /** Platform ids of the people who may decide. */
  deciders: string[]
  decision: Decision | null
  decided_by?: string
  /** The result of sending the question, which the kind needs to change it: JSON, sealed for `approval:<_id>`. */
  sent?: string
  expires_at: Date
}

/** The indexes of approvals; the last one removes them a day after they have expired. */
export const approvalIndexes: IndexDescription[] = [
  { key: { channel_id: 1, conversation_id: 1 } },
  { key: { pending_id: 1, index: 1 } },
  { key: { expires_at: 1 }, expireAfterSeconds: 24 * 3600 },
]

/** A message that asks for a decision, in Markdown. */
export interface Question {
  code: string
  text: string
  buttons: Button[]
  pressers: readonly string[]
}

/** A sent question and the text that replaces it once it is decided, in Markdown. */
export interface SettledQuestion {
  sent: JSONValue
  text: string
}

/** The result of a decision. */
export type Verdict =
  | { outcome: 'taken'; approval: ApprovalDocument; decision: Decision }
  | { outcome: 'not_pending' | 'not_allowed' }
  | { outcome: 'no_such_decision'; allowed: readonly DecisionType[] }

const CODE_LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const CODE_LENGTH = 6
/** The part of a call's input that a question shows, in characters. */
const MAX_INPUT_CHARS = 1200

/** Returns the code of a request; every process computes the same. */
function codeOf(pending_id: string, index: number): string {
  const digest = createHash('sha256').update(`${pending_id}:${index}`).digest()
  return [...digest.subarray(0, CODE_LENGTH)].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length]).join('')
}

/** The decisions that turns ask of people in conversations. */
export type Approvals = ReturnType<typeof createApprovals>

/** Creates the approvals over their collection. */
export function createApprovals({
  collections: { channel_approvals: approvals },
  threads,
  chat,
  secrets,
  server,
}: Pick<Cradle, 'collections' | 'threads' | 'chat' | 'secrets' | 'server'>) {
  const purposeOf = (code: string) => `approval:${code}`

  /** Continues a turn once all its requests are decided; false if it does not wait for them any more. */
  const proceed = async ({
    user_id,
    agent_id,
    thread_id,
    pending_id,
  }: ApprovalDocument): Promise<boolean> => {
    const requests = await approvals.find({ pending_id }).sort({ index: 1 }).toArray()
    const decisions = requests.flatMap(({ decision }) => (decision ? [decision] : []))
    if (decisions.length < requests.length) return true
    try {
      const thread = await threads.get({ user_id, agent_id }, thread_id)
      const pending = await chat.readPending(thread)
      if (pending?.pending_id !== pending_id) return false
      await chat.decide(thread, pending, decisions)
      return true
    } catch (error) {
      // Decided elsewhere, or the thread was removed.
      if (error instanceof AppError && ['HITL_NOT_PENDING', 'THREAD_NOT_FOUND'].includes(error.code))
        return false
      throw error
    }
  }

  return {
    /**
     * Stores the requests that a turn waits for and returns the questions that have not been sent. Continues the turn if
     * all of them are decided already.
     */
    async ask({
      message,
      thread,
      pending,
      settings,
      locale,
    }: {
      message: InboxDocument
      thread: ThreadDocument
      pending: PendingApproval
      settings: CommonSettings
      locale: Locale
    }): Promise<Question[]> {
      const { pending_id, action_requests, review_configs, expires_at } = pending
      const questions: Question[] = []
      let decided: ApprovalDocument | undefined
      for (const [index, request] of action_requests.entries()) {
        const allowed = review_configs[index]!.allowed_decisions
        const code = codeOf(pending_id, index)
        const deciders = decidersOf(settings, message.sender, allowed)
        const document: Omit<ApprovalDocument, '_id'> = {
          channel_id: message.channel_id,
          conversation_id: message.conversation_id,
          conversation_type: message.conversation_type,
          user_id: thread.user_id,
          agent_id: thread.agent_id,
          thread_id: thread._id,
          pending_id,
          index,
          description: request.description,
          allowed,
          deciders,
          decision: null,
          expires_at: new Date(expires_at * 1000),
        }
        const approval = await approvals.findOneAndUpdate(
          { _id: code },
          { $setOnInsert: document },
          { upsert: true, returnDocument: 'after' },
        )
        if (approval!.decision) decided = approval!
        else if (approval!.sent === undefined)
          questions.push(questionFor(code, request, approval!, { locale, base: server.public_url ?? '' }))
      }
      if (decided) await proceed(decided)
      return questions
    },
    async noteSent(code: string, sent: JSONValue) {
      const sealed = secrets.seal(JSON.stringify(sent), purposeOf(code))
      await approvals.updateOne({ _id: code }, { $set: { sent: sealed } })
    },
    /** Lists the approvals that wait for a decision in a conversation, oldest first. */
    listWaiting: (channel_id: string, conversation_id: string): Promise<ApprovalDocument[]> =>
      approvals
        .find({ channel_id, conversation_id, decision: null })
        .sort({ pending_id: 1, index: 1 })
        .toArray(),
    async decide(channel_id: string, code: string, sender: Sender, decision: Decision): Promise<Verdict> {
      const approval = await approvals.findOne({ _id: code, channel_id })
      if (!approval || approval.decision) return { outcome: 'not_pending' }
      if (!approval.deciders.includes(sender.id)) return { outcome: 'not_allowed' }
      if (!approval.allowed.includes(decision.type))
        return { outcome: 'no_such_decision', allowed: approval.allowed }
      const { matchedCount } = await approvals.updateOne(
        { _id: code, decision: null },
        { $set: { decision, decided_by: sender.name ?? sender.id } },
      )
      if (matchedCount === 0) return { outcome: 'not_pending' }
      if (!(await proceed(approval))) return { outcome: 'not_pending' }
      return { outcome: 'taken', approval: { ...approval, decision }, decision }
    },
    /** Moves the approvals of a conversation to another one. */
    async move(channel_id: string, conversation_id: string, to: string) {
      await approvals.updateMany({ channel_id, conversation_id }, { $set: { conversation_id: to } })
    },
    /** Removes all approvals of a conversation, after the turn that asked for them has ended. */
    async forget(channel_id: string, conversation_id: string) {
      await approvals.deleteMany({ channel_id, conversation_id })
    },
    /** Removes the approvals that were resolved and returns the texts that replace their questions. */
    async settle(
      { pending_id, outcome, decisions }: ResolvedApproval,
      locale: Locale,
    ): Promise<SettledQuestion[]> {
      const requests = await approvals.find({ pending_id }).sort({ index: 1 }).toArray()
      await approvals.deleteMany({ pending_id })
      return requests.flatMap(({ _id, sent, description, index, decided_by }) => {
        if (sent === undefined) return []
        const decision = outcome === 'stopped' ? undefined : decisions[index]
        const said = outcome === 'expired' ? say('expired', locale) : sayDecision(decision, locale)
        const text = `${description}\n\n${said}${decided_by ? ` — ${decided_by}` : ''}`
        return [{ sent: JSON.parse(secrets.open(sent, purposeOf(_id))) as JSONValue, text }]
      })
    },
  }
}

/** Returns the text for a decision, or for a request that was withdrawn if there is none. */
export function sayDecision(decision: Decision | undefined, locale: Locale): string {
  if (!decision) return say('withdrawn', locale)
  const phrase = { approve: 'approved', edit: 'approved', reject: 'rejected', respond: 'answered' } as const
  return say(phrase[decision.type], locale)
}

const isQuestion = (allowed: readonly DecisionType[]) => !allowed.includes('approve')

/** Lists who may decide. The author of the message may answer a question, but approves a call only if trusted. */
function decidersOf(
  { approvers = [], allow_from = [] }: CommonSettings,
  { id }: Sender,
  allowed: readonly DecisionType[],
): string[] {
  const trusted = approvers.length > 0 ? approvers : allow_from.filter((allowedId) => allowedId === id)
  return [...new Set([...(isQuestion(allowed) ? [id] : []), ...trusted])]
}

function questionFor(
  code: string,
  { args, args_url }: ActionRequest,
  { allowed, deciders, description }: ApprovalDocument,
  { locale, base }: { locale: Locale; base: string },
): Question {
  if (isQuestion(allowed))
    return { code, text: say('question', locale, { code, description }), buttons: [], pressers: deciders }
  const input = JSON.stringify(args, undefined, 2)
  // Never half a character: platforms refuse such a text, and then nobody would be asked.
  const beginning = cutText(input, MAX_INPUT_CHARS)
  const shown = beginning === input ? input : `${beginning}\n…`
  const fence = '`'.repeat(Math.max(3, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  const location = args_url === undefined ? say('web_app', locale) : `\`${base}${args_url}\``
  const isWhole = shown === input && args_url === undefined
  const hint = isWhole ? '' : `\n\n${say('shortened', locale, { place: location })}`
  const values = { code, description, args: `${fence}json\n${shown}\n${fence}${hint}` }
  const phrase = deciders.length > 0 ? 'approval' : 'approval_elsewhere'
  const buttons: Button[] = [
    { label: say('approve', locale), value: `approve:${code}`, style: 'primary' },
    { label: say('always', locale), value: `always:${code}`, style: 'default' },
    { label: say('reject', locale), value: `reject:${code}`, style: 'danger' },
  ]
  return {
    code,
    text: say(phrase, locale, values),
    buttons: deciders.length > 0 ? buttons : [],
    pressers: deciders,
  }
}
