import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'feedback',
  summary: 'Votes on answers, with the question and the answer as they were',
  tag: {
    name: 'Feedback',
    order: 44,
    description: 'Votes on answers: your own, and for administrators those of everybody.',
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  config: {
    keep_days: { type: 'integer', minimum: 1, maximum: 36_500 },
  },
  permissions: [
    {
      key: 'feedback',
      category: 'admin',
      label: { en: 'Feedback', zh: '回答评价' },
      description: {
        en: 'Read the votes of everybody on answers, with the question and the answer.',
        zh: '查看所有人对回答的评价，包括对应的提问和回答内容。',
      },
    },
  ],
  errors: {
    ANSWER_INCOMPLETE: {
      status: 409,
      message: {
        en: 'Only complete answers can be rated. This one was stopped or has failed.',
        zh: '只能评价完整的回答。此回答已被停止或未成功完成。',
      },
    },
  },
  limits: {
    feedback: { default: 10_000, description: 'Votes of an account on answers' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    feedback: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
