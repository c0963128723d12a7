import { setTimeout as delay } from 'node:timers/promises'
import type { APIMessageComponentInteraction } from 'discord-api-types/v10'
import { type ChannelLink, createRecentSet, type PressOutcome } from '#plugin-api'
import type { DiscordApi } from './api.ts'
import { toSender } from './inbound.ts'
import { NO_MENTIONS } from './outbound.ts'

/** Discord expects an answer within three seconds; a later outcome is sent as a follow-up. */
const PATIENCE_MS = 1_500

const COMPONENT = 3
const NOTICE = 4
const LATER = 6
const CHANGE = 7
const ONLY_TO_THE_PRESSER = 64

/** A resumed session delivers the last events again. */
const REMEMBERED = 500

/** Creates the handler that passes pressed buttons to the gateway and answers them. */
export function createPresses({ api, link }: { api: DiscordApi; link: Pick<ChannelLink, 'press' | 'log'> }) {
  const handled = createRecentSet(REMEMBERED)

  async function answer(interaction: APIMessageComponentInteraction) {
    const { id, token, application_id, data, member, user, channel } = interaction
    const pressed = link.press({
      value: data.custom_id,
      sender: toSender((member?.user ?? user)!, member?.nick),
      conversation_id: channel.id,
    })
    const callback = (body: unknown) =>
      api.call({ method: 'post', path: `/interactions/${id}/${token}/callback`, body })

    const outcome = await within(PATIENCE_MS, pressed)
    if (outcome) {
      const type = outcome.text === undefined ? NOTICE : CHANGE
      await callback({ type, data: toReply(outcome) })
      return
    }
    await callback({ type: LATER })
    const late = await pressed
    const path = `/webhooks/${application_id}/${token}` as const
    await (late.text === undefined
      ? api.call({ method: 'post', path, body: toReply(late) })
      : api.call({ method: 'patch', path: `${path}/messages/@original`, body: toReply(late) }))
  }

  return (interaction: APIMessageComponentInteraction): void => {
    if (interaction.type !== COMPONENT || handled.has(interaction.id)) return
    handled.add(interaction.id)
    // Without an answer, Discord itself shows a failure to the person who pressed.
    answer(interaction).catch((error) =>
      link.log.warn({ error }, 'a press of a Discord button could not be answered'),
    )
  }
}

/** Returns the changed message without its buttons, or a notice that only the presser sees. */
const toReply = ({ text, notice }: PressOutcome) =>
  text === undefined
    ? { content: notice, flags: ONLY_TO_THE_PRESSER, ...NO_MENTIONS }
    : { content: text, components: [], ...NO_MENTIONS }

/** Resolves with the promise's value; undefined if it takes longer than `ms`. */
async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  const done = new AbortController()
  try {
    return await Promise.race([promise, delay(ms, undefined, { signal: done.signal })])
  } finally {
    done.abort()
  }
}
