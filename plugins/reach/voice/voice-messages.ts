import { AppError, type ExtensionPoints } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/**
 * Transcribes a voice message of a channel; undefined if nobody has chosen a model for it, or if it cannot be transcribed:
 * the agent then has the file alone, as without this plugin.
 */
export const transcribeVoiceMessage = async (
  {
    file,
    user_id: account_id,
    channel_id: channel,
    ...facts
  }: Parameters<ExtensionPoints['channels.transcripts']>[0],
  { config, log, mediaModels, transcriber }: Cradle,
): Promise<{ text: string } | undefined> => {
  if (!config.channel_messages || !(await mediaModels.find('transcription', account_id))) return undefined
  try {
    const { text } = await transcriber.transcribe(file, { account_id, ...facts })
    return text === '' ? undefined : { text }
  } catch (error) {
    facts.signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    const { code, details } = error
    log.warn({ channel, code, detail: details.detail }, 'a voice message was not transcribed')
    return undefined
  }
}
