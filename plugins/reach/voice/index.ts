import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { voiceRoutes } from './routes.ts'
import { createTranscriber, type Transcriber } from './transcriber.ts'
import { transcribeVoiceMessage } from './voice-messages.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    voice: {
      transcriber: Transcriber
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('transcriber', createTranscriber)
    host.routes(voiceRoutes)
    host.extend('channels.transcripts', transcribeVoiceMessage)
    const hasModel = async (kind: 'transcription' | 'speech') =>
      (await host.cradle.mediaModels.find(kind)) !== undefined
    host.extend('console.slots', {
      slot: 'composer.actions',
      module: 'console/dictation.js',
      label: { en: 'Dictation', zh: '语音输入' },
      isOffered: () => hasModel('transcription'),
    })
    host.extend('console.slots', {
      slot: 'message.actions',
      module: 'console/read-aloud.js',
      label: { en: 'Read aloud', zh: '朗读' },
      when: { role: 'assistant' },
      isOffered: () => hasModel('speech'),
    })
  },
})
