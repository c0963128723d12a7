import { randomUUID } from 'node:crypto'
import type { FakeGateway } from './fake-discord-gateway.ts'
import {
  type FakeMessages,
  guildOf,
  isRefusal,
  type MessageBody,
  type Refusal,
} from './fake-discord-messages.ts'
import { BOT, person } from './fake-discord-world.ts'

/** Discord waits three seconds for a bot, then shows this text. */
const ANSWER_MS = 3_000
const FAILED = 'This interaction failed'

const NOTICE = 4
const LATER = 6
const CHANGE = 7
const ONLY_TO_THE_PRESSER = 64

interface Interaction {
  id: string
  token: string
  message_id: string
  channel_id: string
  isAnswered: boolean
  isLater: boolean
  /** Shown to the one who pressed. */
  show(text: string | undefined): void
}

const refusal = (status: number, code: number, message: string): Refusal => ({ status, code, message })

/** Buttons that are pressed, and what the bot answers. */
export function createInteractions({
  gateway,
  messages,
  nextId,
  violations,
}: {
  gateway: FakeGateway
  messages: FakeMessages
  nextId: () => string
  violations: string[]
}) {
  const open = new Map<string, Interaction>()

  const notify = (interaction: Interaction, { content = '', flags = 0 }: MessageBody) => {
    if ((flags & ONLY_TO_THE_PRESSER) === 0) violations.push('a notice that everybody sees')
    interaction.show(content)
  }

  const change = ({ channel_id, message_id, show }: Interaction, body: MessageBody): Refusal | undefined => {
    const changed = messages.patch(channel_id, message_id, body)
    if (isRefusal(changed)) return changed
    show(changed.content)
    return undefined
  }

  return {
    /** The tokens of all interactions, which nobody else may see. */
    tokens: [] as string[],

    press(message_id: string, label: string, sender: string): Promise<string | undefined> {
      const message = messages.all.get(message_id)
      const custom_id = messages.customIdOf(message_id, label)
      if (!message || !custom_id) throw new Error(`the message ${message_id} has no button "${label}"`)
      const { channel_id } = message
      const guild = guildOf(channel_id)
      const token = `aW50ZXJhY3Rpb24-${randomUUID()}`
      this.tokens.push(token)
      return new Promise((resolve) => {
        const failed = setTimeout(() => {
          if (interaction.isAnswered) return
          open.delete(token)
          show(FAILED)
        }, ANSWER_MS)
        const show = (text: string | undefined) => {
          clearTimeout(failed)
          resolve(text)
        }
        const id = nextId()
        const interaction = { id, token, message_id, channel_id, isAnswered: false, isLater: false, show }
        open.set(token, interaction)
        gateway.dispatch('INTERACTION_CREATE', {
          id,
          application_id: BOT.id,
          type: 3,
          token,
          version: 1,
          data: { component_type: 2, custom_id },
          channel_id,
          channel: { id: channel_id },
          message,
          ...guild,
          ...('guild_id' in guild
            ? { member: { user: person(sender), roles: [] } }
            : { user: person(sender) }),
        })
      })
    },

    /** Ends all waits for an answer. */
    close() {
      for (const { show } of open.values()) show(undefined)
    },

    /** The bot's first answer. */
    answer(id: string, token: string, { type, data = {} }: { type: number; data?: MessageBody }) {
      const interaction = open.get(token)
      if (interaction?.id !== id) return refusal(404, 10062, 'Unknown interaction')
      if (interaction.isAnswered) return refusal(400, 40060, 'Interaction has already been acknowledged.')
      const wrong = type === LATER ? undefined : messages.check(data, false)
      if (wrong) return wrong
      interaction.isAnswered = true
      interaction.isLater = type === LATER
      if (type === CHANGE) return change(interaction, data)
      if (type === NOTICE) notify(interaction, data)
      else if (type !== LATER) return refusal(400, 50035, 'Invalid Form Body type')
      return undefined
    },

    /** A follow-up: a notice, or a change of the message. */
    follow(token: string, body: MessageBody, isChange: boolean) {
      const interaction = open.get(token)
      if (!interaction?.isAnswered) return refusal(404, 10015, 'Unknown Webhook')
      const wrong = messages.check(body, false)
      if (wrong) return wrong
      if (isChange) return change(interaction, body)
      notify(interaction, body)
      return undefined
    },
  }
}

/** Interactions of the fake. */
export type FakeInteractions = ReturnType<typeof createInteractions>
