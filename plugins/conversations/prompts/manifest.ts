import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'prompts',
  summary: 'Saved prompts with variables, of an account or shared with others',
  tag: {
    name: 'Saved prompts',
    order: 43,
    description: 'Texts to send again, with variables to fill in: your own, and those that others share.',
  },
  depends: ['users', 'auth'],
  errors: {
    PROMPT_NOT_FOUND: { status: 404, message: { en: 'The prompt does not exist.', zh: '找不到该提示词。' } },
    PROMPT_NAME_TAKEN: {
      status: 409,
      message: {
        en: 'A prompt named "{name}" already exists.',
        zh: '已有名为“{name}”的提示词。',
      },
    },
  },
  limits: {
    prompts: { default: 200, description: 'Saved prompts of an account' },
  },
  events: ['prompt.changed'],
})

declare module '#kernel/types' {
  interface Manifests {
    prompts: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
