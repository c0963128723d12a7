import type { SentFile, ShownMessage } from '../../plugin-api/testing/fake-platform.ts'
import {
  ARCHIVED_THREAD,
  BLOCKED_WORD,
  BOT,
  CHANNELS,
  CLOSED_CHANNEL,
  GUILD_ID,
  LOCKED_THREAD,
  placeOf,
  type WireMessage,
  type WireRow,
} from './fake-discord-world.ts'

/** Discord's refusal of a request. */
export interface Refusal {
  status: number
  code: number
  message: string
  /** The errors of single fields, in the form of the refused body. */
  errors?: object
}

/** The body of a call that sends or changes a message. */
export interface MessageBody {
  content?: string
  components?: WireRow[]
  nonce?: string | number
  enforce_nonce?: boolean
  allowed_mentions?: { parse?: string[]; users?: string[]; roles?: string[] }
  flags?: number
  archived?: boolean
}

const refusal = (status: number, code: number, message: string): Refusal => ({ status, code, message })
const invalid = (field: string, code: string, message: string): Refusal => ({
  ...refusal(400, 50035, 'Invalid Form Body'),
  errors: { [field]: { _errors: [{ code, message }] } },
})
const tooLong = (field: string, length: number) =>
  invalid(field, 'BASE_TYPE_MAX_LENGTH', `Must be ${length} or fewer in length.`)

/** All that was written on the fake, and Discord's rules for what bots write. */
export function createMessages({ nextId, violations }: { nextId: () => string; violations: string[] }) {
  const messages = new Map<string, WireMessage>()
  const histories = new Map<string, string[]>()
  const files = new Map<string, SentFile>()
  const nonces = new Map<string, string>()
  const buttons = new Map<string, Map<string, string>>()
  const archived = new Set([ARCHIVED_THREAD, LOCKED_THREAD])

  /** Removed buttons can still be pressed by clients that show them. */
  function rememberButtons({ id, components }: WireMessage) {
    const labels = buttons.get(id) ?? new Map<string, string>()
    for (const row of components)
      for (const { label, custom_id } of row.components) labels.set(label, custom_id)
    buttons.set(id, labels)
  }

  function check(body: MessageBody, hasFile: boolean): Refusal | undefined {
    const { content = '', components = [], nonce, allowed_mentions } = body
    if (!JSON.stringify(body).isWellFormed() || !content.isWellFormed())
      return refusal(400, 50109, 'The request body contains invalid JSON.')
    if (content.length > 2_000) return tooLong('content', 2_000)
    if (!content.trim() && !hasFile) return refusal(400, 50006, 'Cannot send an empty message')
    if (typeof nonce === 'string' && nonce.length > 25) return tooLong('nonce', 25)
    if (components.length > 5) return tooLong('components', 5)
    if (content.includes(BLOCKED_WORD))
      return refusal(400, 200000, 'Message was blocked by automatic moderation')
    const pressable = components.flatMap((row) => row.components)
    for (const row of components)
      if (row.type !== 1 || row.components.length < 1 || row.components.length > 5)
        return invalid('components', 'UNION_TYPE_CHOICES', 'Value of field "type" must be one of (1,).')
    for (const { type, style, label, custom_id } of pressable)
      if (
        type !== 2 ||
        !(style >= 1 && style <= 4) ||
        !label ||
        label.length > 80 ||
        !custom_id ||
        custom_id.length > 100
      )
        return invalid('components', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.')
    if (new Set(pressable.map(({ custom_id }) => custom_id)).size < pressable.length)
      return invalid(
        'components',
        'COMPONENT_CUSTOM_ID_DUPLICATED',
        'Component custom id cannot be duplicated',
      )
    if (allowed_mentions?.parse?.length !== 0 || allowed_mentions.users || allowed_mentions.roles)
      violations.push('a message that can notify people it names')
    return undefined
  }

  return {
    all: messages,
    check,
    /** Returns the value of the button with this label. */
    customIdOf: (id: string, label: string) => buttons.get(id)?.get(label),

    /** Why the bot cannot write in a channel. */
    checkChannel(channel_id: string): Refusal | undefined {
      if (channel_id === CLOSED_CHANNEL) return refusal(403, 50001, 'Missing Access')
      if (archived.has(channel_id)) return refusal(400, 50083, 'Thread is archived')
      const isKnown = [...Object.values(CHANNELS), ARCHIVED_THREAD].includes(channel_id)
      return isKnown ? undefined : refusal(404, 10003, 'Unknown Channel')
    },

    archive: (channel_id: string) => void archived.add(channel_id),

    /** Opens an archived thread, which needs a right of moderators if it is locked. */
    changeChannel(channel_id: string, { archived: isArchived }: MessageBody): Refusal | undefined {
      if (channel_id === LOCKED_THREAD) return refusal(403, 50013, 'Missing Permissions')
      if (isArchived === false) archived.delete(channel_id)
      return undefined
    },

    /** Stores a message of the bot, or returns the one with the same nonce. */
    post(channel_id: string, body: MessageBody, file?: SentFile): WireMessage | Refusal {
      const wrong = check(body, file !== undefined)
      if (wrong) return wrong
      const nonce = body.enforce_nonce ? `${channel_id} ${body.nonce}` : undefined
      if (!nonce) violations.push('a message that would be written twice when it is sent twice')
      const duplicate = nonce && nonces.get(nonce)
      if (duplicate) return messages.get(duplicate)!
      const message: WireMessage = {
        id: nextId(),
        type: 0,
        channel_id,
        author: BOT,
        content: body.content ?? '',
        timestamp: new Date().toISOString(),
        mentions: [],
        mention_roles: [],
        attachments: [],
        components: body.components ?? [],
      }
      messages.set(message.id, message)
      rememberButtons(message)
      histories.set(message.id, [])
      if (file) files.set(message.id, file)
      if (nonce) nonces.set(nonce, message.id)
      return message
    },

    /** Changes a message of the bot: fields that are not given stay. */
    patch(channel_id: string, id: string, body: MessageBody): WireMessage | Refusal {
      const message = messages.get(id)
      if (message?.channel_id !== channel_id) return refusal(404, 10008, 'Unknown Message')
      if (message.author.id !== BOT.id)
        return refusal(403, 50005, 'Cannot edit a message authored by another user')
      const wrong = check({ ...body, content: body.content ?? message.content }, files.has(id))
      if (wrong) return wrong
      if (body.content !== undefined && body.content !== message.content) {
        histories.get(id)!.push(message.content)
        message.content = body.content
      }
      if (body.components) message.components = body.components
      rememberButtons(message)
      return message
    },

    /** The visible messages of the bot. */
    shown(): ShownMessage[] {
      const own = [...messages.values()].filter(({ author }) => author.id === BOT.id)
      return own.map(({ id, channel_id, content, components }) => {
        const file = files.get(id)
        return {
          id,
          place: placeOf(channel_id),
          text: content,
          history: [...histories.get(id)!],
          is_live: false,
          buttons: components.flatMap((row) => row.components.map(({ label }) => label)),
          ...(file && { file }),
        }
      })
    },
  }
}

/** Messages of the fake. */
export type FakeMessages = ReturnType<typeof createMessages>

export const isRefusal = (answer: WireMessage | Refusal): answer is Refusal => 'status' in answer

/** The location of a message in events of the gateway; REST omits it. */
export const guildOf = (channel_id: string) => (channel_id === CHANNELS.direct ? {} : { guild_id: GUILD_ID })
