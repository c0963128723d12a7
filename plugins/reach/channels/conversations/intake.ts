import { createHash } from 'node:crypto'
import type { ButtonPress, ChannelLink, InboundMessage, Inbox, JSONValue, PressOutcome } from '#plugin-api'
import { type CommonSettings, groupRulesFor } from '../config/common-settings.ts'
import type { ChannelDocument, Refusal, StoredCursor } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import { hasVisible, render, toFailure } from '../writing/index.ts'
import { type ChatCommand, isUrgent, parseCommand, readWords, sayVerdict, toDecision } from './commands.ts'

/** Number of messages of a conversation that may wait; as many more are refused with an answer, later ones dropped. */
const MOST_WAITING = 100
/** The longest text of a message, in characters. */
const MAX_TEXT = 200_000
/** The longest id, in characters; a longer one is replaced by its digest, as a refused message would come again. */
const MAX_ID = 512

/** The longest name and the longest quoted text, in characters. */
const MAX_NAME = 256
const MAX_QUOTE = 10_000
/** Files of a message beyond this number are dropped. */
const MAX_FILES = 16

/** The inbox of a channel; a message may come with the position behind it. */
export interface ChannelInbox extends Inbox {
  receive(message: InboundMessage, cursor?: StoredCursor): Promise<void>
  moved: ChannelLink['moved']
}

/** Receives messages and button presses from platforms. */
export type Intake = ReturnType<typeof createIntake>

/** Creates the intake: it checks the author, applies the rules of groups, and drops messages that are known already. */
export function createIntake(cradle: Cradle) {
  const {
    conversations,
    messageInbox,
    approvals,
    agents,
    users,
    commands,
    channelKinds,
    channelStates,
    clock,
    log,
  } = cradle
  const { channels } = cradle.collections

  const hasAccess = ({ allow_from = [] }: CommonSettings, id: string) =>
    allow_from.length === 0 || allow_from.includes(id)

  const receive = async (
    channel: ChannelDocument,
    received: InboundMessage,
    onStored: (conversation_id: string, urgent: boolean) => void,
    cursor?: StoredCursor,
  ) => {
    const message = truncateMessage(received)
    const { id, conversation, sender, text } = message
    if ([id, conversation.id, sender.id].includes('')) throw new Error('a message lacks an id')
    if (!hasAccess(channel.config, sender.id)) {
      log.info(
        { channel: channel._id, sender: sender.id },
        'message ignored: its sender is not in allow_from',
      )
      return
    }
    const command = parseCommand(text)
    const waiting = command ? [] : await approvals.listWaiting(channel._id, conversation.id)
    const decision = commands.parseDecision(text, waiting, sender)
    const words = command || decision ? text : readWords(text)
    const isAddressed = message.mentioned || command || decision || words !== text
    if (conversation.type === 'group' && !isAddressed)
      if (!groupRulesFor(channel.config, conversation.id).answers_all) return overhear(channel, message)
    if (command?.name === 'new' && hasContent({ ...message, text: command.argument })) {
      // Two messages: one begins the conversation, the other is answered in it, so it decides nothing that waits before.
      await store(channel, { ...message, id: `${id}/new`, text: '/new …', files: [] }, { command, onStored })
      const next = parseCommand(command.argument)
      const first = { ...message, text: next ? command.argument : readWords(command.argument) }
      return store(channel, first, { command: next, onStored, cursor })
    }
    await store(channel, { ...message, text: words }, { command: command ?? decision, onStored, cursor })
  }

  /** Keeps a message of a group for the next one that mentions the bot. */
  const overhear = async (channel: ChannelDocument, message: InboundMessage) => {
    const { id, conversation, sender, text, quote, unreadable, files = [] } = message
    const { history_limit } = groupRulesFor(channel.config, conversation.id)
    const placeholder = quote?.text ?? (unreadable === undefined ? '' : `[${unreadable}]`)
    if (history_limit === 0 || !(text || placeholder || files.length > 0)) return
    await conversations.overhear(channel, conversation.id, {
      id,
      sender: sender.name ?? sender.id,
      text: text || placeholder,
      at: message.sent_at ?? clock.now(),
      files,
    })
  }

  /** Stores a message to be answered by a turn, by a command, or by the sentence that says why neither is possible. */
  const store = async (
    channel: ChannelDocument,
    message: InboundMessage,
    {
      command,
      onStored,
      cursor,
    }: {
      command: ChatCommand | undefined
      onStored(conversation_id: string, urgent: boolean): void
      cursor?: StoredCursor
    },
  ) => {
    const { conversation } = message
    const count = await messageInbox.countOpen(channel._id, conversation.id)
    if (count >= 2 * MOST_WAITING) {
      log.warn(
        { channel: channel._id, conversation: conversation.id },
        'message dropped: too many are waiting',
      )
      return
    }
    const refusal = count >= MOST_WAITING ? 'too_many' : await findRefusal(channel, message)
    // A new conversation begins at once, or after the messages before it if they are answered without delay.
    const isUrgentCommand = command && (isUrgent(command) || (command.name === 'new' && count > 0))
    const urgent = refusal === 'too_many' || isUrgentCommand === true
    await messageInbox.add(channel, message, { urgent, refusal, cursor })
    await conversations.noteTarget(channel, message)
    onStored(conversation.id, urgent)
  }

  /** Returns the reason why no turn can answer a message; undefined if one can. */
  const findRefusal = async (
    channel: ChannelDocument,
    message: InboundMessage,
  ): Promise<Refusal | undefined> => {
    if (hasContent(message)) return undefined
    if (message.unreadable !== undefined) return 'unreadable'
    // A mention without words asks for an answer to what was said before it.
    const { conversation, sent_at = clock.now() } = message
    const rules = groupRulesFor(channel.config, conversation.id)
    const overheard =
      conversation.type === 'group'
        ? await conversations.recall(channel, conversation.id, rules, sent_at)
        : []
    return overheard.length > 0 ? undefined : 'nothing_said'
  }

  const move = async (channel: ChannelDocument, from: string, to: { id: string; target: JSONValue }) => {
    if (to.id === '') throw new Error('a conversation has no id')
    const [oldId, newId] = [from, to.id].map(fitId) as [string, string]
    await conversations.move(channel, oldId, { ...to, id: newId })
    await messageInbox.move(channel._id, oldId, newId)
    await approvals.move(channel._id, oldId, newId)
    await moveGroupRules(channel, oldId, newId)
    return newId
  }

  /** Keeps the rules of a group whose id has changed, also in the open channel, which has no other config. */
  const moveGroupRules = async ({ _id, config }: ChannelDocument, from: string, to: string) => {
    const { group_context: { groups = {} } = {} }: CommonSettings = config
    if (!Object.hasOwn(groups, from) || Object.hasOwn(groups, to)) return
    groups[to] = groups[from]!
    delete groups[from]
    await channels.updateOne(
      { _id, 'config.group_context.groups': { $exists: true } },
      { $set: { 'config.group_context.groups': groups } },
    )
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
            toDecision(name as 'approve' | 'always' | 'reject', ''),
          )
        : ({ outcome: 'not_pending' } as const)
    const notice = sayVerdict(verdict, locale)
    if (verdict.outcome !== 'taken') return { notice }
    const text = `${verdict.approval.description}\n\n${notice} — ${sender.name ?? sender.id}`
    const { dialect } = channelKinds.get(channel.kind).capabilities[verdict.approval.conversation_type]
    return { notice, text: render(text, dialect) }
  }

  const removeStray = async ({ _id }: ChannelDocument) => {
    if (await channels.findOne({ _id }, { projection: { _id: 1 } })) return
    await Promise.all([messageInbox.remove([_id]), conversations.remove([_id])])
  }

  return {
    /** Removes what was stored of a channel while it was being removed: its document goes first, and then its data. */
    removeStray,
    /**
     * Returns the inbox of a channel; `onStored` is called for each message that must be answered. Once `isClosed` returns
     * true, the channel may have been removed.
     */
    openInbox: (
      channel: ChannelDocument,
      onStored: (conversation_id: string, urgent: boolean) => void,
      isClosed: () => boolean = () => false,
    ): ChannelInbox => ({
      async receive(message, cursor) {
        await receive(channel, message, onStored, cursor)
        if (isClosed()) await removeStray(channel)
      },
      press: (pressed) => press(channel, pressed),
      async refused(error) {
        const failure = toFailure(error)
        const { reason, detail } = failure
        log.warn({ reason, detail, channel: channel._id }, 'the platform did not deliver a message')
        await channelStates.noteRefusal(channel, failure)
      },
      async moved(from, to) {
        const id = await move(channel, from, to)
        for (const urgent of [true, false]) onStored(id, urgent)
      },
    }),
  }
}

/** True if a message has something that a turn can answer. */
const hasContent = ({ text, quote, files = [] }: InboundMessage): boolean =>
  text !== '' || files.length > 0 || (quote !== undefined && quote.text.trim() !== '')

/** Truncates a text and replaces lone surrogates, which the database cannot store. */
const clip = (text: string, length: number) => text.slice(0, length).toWellFormed()

/** Returns an id of bounded length, the same for the same message, conversation or person. */
const fitId = (id: string) => (id.length > MAX_ID ? createHash('sha256').update(id).digest('base64url') : id)

/** Returns a name of bounded length; undefined for one that nobody can see, which names nobody. */
const clipName = (name = '') => (hasVisible(name) ? clip(name, MAX_NAME) : undefined)

/** Returns a message with its texts cut to the limits of the inbox, and its files together with the files of the quote. */
function truncateMessage(message: InboundMessage): InboundMessage {
  const { id, conversation, sender, text, quote, files = [] } = message
  const name = clipName(sender.name)
  const quoted = clipName(quote?.sender)
  const everyFile = [...files, ...(quote?.files ?? [])].slice(0, MAX_FILES)
  return {
    ...message,
    id: fitId(id),
    conversation: { ...conversation, id: fitId(conversation.id) },
    text: clip(text, MAX_TEXT).trim(),
    sender: { id: fitId(sender.id), ...(name !== undefined && { name }) },
    ...(quote && {
      quote: {
        text: clip(quote.text, MAX_QUOTE),
        ...(quoted !== undefined && { sender: quoted }),
        ...(quote.is_forwarded && { is_forwarded: true }),
      },
    }),
    files: everyFile.map((file) =>
      file.filename === undefined ? file : { ...file, filename: clip(file.filename, MAX_NAME) },
    ),
  }
}
