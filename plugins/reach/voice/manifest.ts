import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of the voice plugin. */
export const manifest = defineManifest({
  name: 'voice',
  summary: 'Dictation, answers read aloud, and voice messages as text',
  tag: {
    name: 'Voice',
    order: 51,
    description:
      'Audio as text and text as audio, with the models that an administrator has chosen for the server.',
  },
  depends: ['auth', 'providers'],
  config: {
    channel_messages: {
      type: 'boolean',
      default: true,
      description: 'True if voice messages of channels are transcribed',
    },
  },
  errors: {
    AUDIO_NOT_SUPPORTED: {
      status: 415,
      message: {
        en: 'This file is not audio that can be transcribed. Send MP3, M4A, WAV, OGG, WebM or FLAC.',
        zh: '无法转写此文件。请发送 MP3、M4A、WAV、OGG、WebM 或 FLAC 格式的音频。',
      },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    voice: typeof manifest
  }
}

/** The services and settings that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
