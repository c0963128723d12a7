import type { ButtonPress, InboundMessage, Inbox, PressOutcome } from '#plugin-api'
import { type CommonSettings, groupRulesFor } from '../config/common-settings.ts'
import type { ChannelDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { render } from '../writing/markdown.ts'
import { isUrgent, parseCommand } from './commands.ts'
import { decisionFor, sayVerdict } from './orders.ts'

/** How many messages of a conversation may wait; as many more are told that they were not taken. */
const MOST_WAITING = 100
/** The longest text and ids that are taken, in characters. */
const MAX_TEXT = 200_000
const MAX_ID = 512

/** The longest name, and the longest text that is quoted. */
const MAX_NAME = 256
const MAX_QUOTE = 10_000
/** How many files of a message are taken. */
const MAX_FILES = 16

/** Takes in what platforms bring. */
export interface Intake {
  /** Where a channel's messages go; `onStored` is told of a message that is to be answered. */
  of(channel: ChannelDocument, onStored: (conversation_id: string, urgent: boolean) => void): Inbox
}

/** Makes what takes in messages: who may write, what of a group is heard, what is known already. */
export function createIntake(cradle: Cradle): Intake {
  const { conversations, messageInbox, approvals, agents, users, orders, channelKinds, clock, log } = cradle

  const hasAccess = ({ allow_from = [] }: CommonSettings, id: string) =>
    allow_from.length === 0 || allow_from.includes(id)

  const receive = async (
    channel: ChannelDocument,
    given: InboundMessage,
    onStored: (conversation_id: string, urgent: boolean) => void,
  ) => {
    const message = storable(given)
    const { id, conversation, sender, text, files = [] } = message
    if ([id, conversation.id, sender.id].some((name) => name === '' || name.length > MAX_ID))
      throw new Error('a message has no ids, or ids of a length that no platform has')
    if (!hasAccess(channel.config, sender.id)) {
      log.info({ channel: channel._id, sender: sender.id }, 'message of somebody who is not in allow_from')
      return
    }
    const command = parseCommand(text)
    const waiting = command ? [] : await approvals.waiting(channel._id, conversation.id)
    const decision = orders.decisionIn(text, waiting, sender)
    if (conversation.type === 'group' && !message.mentioned && !command && !decision) {
      const rules = groupRulesFor(channel.config, conversation.id)
      if (!rules.answers_all) {
        const at = message.sent_at ?? clock.now()
        if (rules.history_limit > 0 && text !== '')
          await conversations.overhear(channel, conversation.id, {
            id,
            sender: sender.name ?? sender.id,
            text,
            at,
          })
        return
      }
    }
    if (text === '' && files.length === 0) return
    const count = await messageInbox.countOpen(channel._id, conversation.id)
    if (count >= 2 * MOST_WAITING) {
      log.warn({ channel: channel._id, conversation: conversation.id }, 'too many messages wait')
      return
    }
    const refused = count >= MOST_WAITING
    const urgent = refused || decision !== undefined || (command !== undefined && isUrgent(command))
    await messageInbox.add(channel, message, { urgent, refused })
    onStored(conversation.id, urgent)
  }

  const press = async (channel: ChannelDocument, { value, sender }: ButtonPress): Promise<PressOutcome> => {
    const agent = await agents.find(channel.agent_id)
    const owner = agent && (await users.find(agent.owner_id))
    const locale = owner?.locale ?? 'en'
    const [, name, code] = /^(approve|always|reject):([a-z0-9]+)$/.exec(value) ?? []
    const verdict =
      name && code
        ? await approvals.decide(
            channel._id,
            code,
            sender,
            decisionFor(name as 'approve' | 'always' | 'reject', ''),
          )
        : ({ outcome: 'not_pending' } as const)
    const notice = sayVerdict(verdict, locale)
    if (verdict.outcome !== 'taken') return { notice }
    const text = `${verdict.approval.description}\n\n${notice} — ${sender.name ?? sender.id}`
    const { dialect } = channelKinds.get(channel.kind).capabilities[verdict.approval.conversation_type]
    return { notice, text: render(text, dialect) }
  }

  return {
    of: (channel, onStored) => ({
      receive: (message) => receive(channel, message, onStored),
      press: (pressed) => press(channel, pressed),
    }),
  }
}

/** At most so much of a text; half of a surrogate pair would change in the database. */
const clip = (text: string, length: number) =>
  (text.slice(0, length) as unknown as { toWellFormed(): string }).toWellFormed()

/** A message within the bounds of what is kept. */
function storable(message: InboundMessage): InboundMessage {
  const { sender, text, quote, files } = message
  const named = ({ name }: { name?: string }) => (name === undefined ? {} : { name: clip(name, MAX_NAME) })
  return {
    ...message,
    text: clip(text, MAX_TEXT).trim(),
    sender: { id: sender.id, ...named(sender) },
    ...(quote && {
      quote: {
        text: clip(quote.text, MAX_QUOTE),
        ...(quote.sender !== undefined && { sender: clip(quote.sender, MAX_NAME) }),
      },
    }),
    ...(files && { files: files.slice(0, MAX_FILES) }),
  }
}
