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
  },
})
