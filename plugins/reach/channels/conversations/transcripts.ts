import { type UploadedFile, untilAborted, withDeadline } from '#plugin-api'
import type { Session } from '../connections/session.ts'
import type { Cradle } from '../manifest.ts'

/** The most voice messages of one message that are transcribed. */
const MAX_TRANSCRIPTS = 3
/** The longest wait for a transcript, in milliseconds. */
const PATIENCE_MS = 120_000
/** The longest transcript, in characters. */
const MAX_CHARS = 50_000

/** Creates the function that asks plugins for the words of the audio files of one message. */
export function createTranscripts(
  account: { user_id: string; agent_id: string; thread_id: string },
  { channel, signal: closed }: Pick<Session, 'channel' | 'signal'>,
  { extensions, log }: Pick<Cradle, 'extensions' | 'log'>,
) {
  let room = MAX_TRANSCRIPTS
  return {
    /**
     * Returns the words of a voice message; undefined for other files, and if nobody can tell them: the file itself is
     * there in any case.
     */
    async read(file: UploadedFile): Promise<string | undefined> {
      const points = extensions['channels.transcripts']
      if (!file.media_type.startsWith('audio/') || points.list().length === 0 || room === 0) return undefined
      room -= 1
      try {
        const answers = await withDeadline(PATIENCE_MS, [closed], (signal) =>
          untilAborted(signal, points.ask({ ...account, channel_id: channel._id, file, signal })),
        )
        const text = answers.find((answer) => answer !== undefined)?.text.trim()
        return text ? text.slice(0, MAX_CHARS).toWellFormed() : undefined
      } catch (error) {
        if (closed.aborted) throw error
        log.warn({ error, channel: channel._id }, 'a voice message was not transcribed')
        return undefined
      }
    },
  }
}
