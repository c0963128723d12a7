import { readFile } from 'node:fs/promises'
import { AppError, createKeyedSemaphore, detectAudioType, type UploadedFile } from '#plugin-api'
import type { Cradle } from './manifest.ts'

type Request = Parameters<Cradle['mediaModels']['transcribe']>[0]

/** The files that are in memory at the same time: of one account, and of all. */
const AT_ONCE = { perKey: 2, total: 8 }

/** Transcribes stored files. */
export type Transcriber = ReturnType<typeof createTranscriber>

/** Creates the service. */
export function createTranscriber({ mediaModels }: Cradle) {
  const permits = createKeyedSemaphore()
  return {
    /**
     * Transcribes a file, whose format is that of its bytes; `language` is ISO 639-1. Throws AUDIO_NOT_SUPPORTED and the
     * errors of `mediaModels`.
     */
    async transcribe(
      { path }: Pick<UploadedFile, 'path'>,
      { language, ...caller }: Omit<Request, 'audio' | 'media_type'>,
    ): Promise<{ text: string; language: string | null; seconds: number | null }> {
      const release = await permits.acquire(caller.account_id, AT_ONCE, caller.signal)
      try {
        const audio = await readFile(path)
        const media_type = detectAudioType(audio)
        if (!media_type) throw new AppError('AUDIO_NOT_SUPPORTED')
        return await mediaModels.transcribe({ ...caller, audio, media_type, language })
      } finally {
        release()
      }
    },
  }
}
