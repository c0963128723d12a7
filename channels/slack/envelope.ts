import type { ChannelLink } from '#plugin-api'
import { type Interaction, readPress } from './block-action.ts'
import type { Bot } from './identity.ts'
import { type MessageEvent, readMessage } from './message-event.ts'
import type { Messages } from './messages.ts'
import { readSlashCommand, type SlashCommand } from './slash-command.ts'

/** An item that Slack delivers until it is acknowledged. */
export interface Envelope {
  type: string
  body: unknown
  ack(): Promise<void>
}

/** Creates the handler of envelopes, which stores first and then acknowledges. After a failure Slack delivers again. */
export function createEnvelopeHandler({
  bot,
  link,
  messages,
  signal,
}: {
  bot: Bot
  link: ChannelLink
  messages: Messages
  signal: AbortSignal
}): (envelope: Envelope) => void {
  async function handle({ type, body, ack }: Envelope): Promise<void> {
    if (type === 'interactive') return await press(body as Interaction, ack)
    const message =
      type === 'events_api'
        ? readMessage((body as { event: MessageEvent }).event, bot)
        : type === 'slash_commands'
          ? readSlashCommand(body as SlashCommand)
          : undefined
    if (message) await link.receive(message)
    await ack()
  }

  async function press(body: Interaction, ack: Envelope['ack']): Promise<void> {
    const pressed = readPress(body)
    if (!pressed) return await ack()
    const { message, thread_ts } = pressed
    const { notice, text } = await link.press(pressed.press)
    await ack()
    const user = pressed.press.sender.id
    if (text !== undefined) await messages.replace(message, text, signal)
    else
      await messages.whisper(
        { channel: message.channel, user, ...(thread_ts && { thread_ts }) },
        notice,
        signal,
      )
  }

  return (envelope) => {
    handle(envelope).catch((error) => {
      if (!signal.aborted)
        link.log.warn({ error, type: envelope.type }, 'a Slack envelope could not be handled')
    })
  }
}
