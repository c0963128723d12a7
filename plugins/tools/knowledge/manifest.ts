import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { knowledgeErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'knowledge',
  summary: 'Knowledge bases: documents that agents search, with the places that answers are taken from',
  tag: {
    name: 'Knowledge',
    order: 44,
    description:
      'Documents that agents search. They are read, cut into passages and indexed in the background; a passage names its place in its document.',
  },
  depends: ['users', 'auth', 'providers', 'agents', 'chat', 'documents'],
  config: {
    allow_hosts: {
      type: 'array',
      items: { type: 'string' },
      default: [],
      env: 'SVC_ALLOW_HOSTS',
    },
    store_url: { type: 'string', minLength: 1 },
    purge_seconds: { type: 'integer', minimum: 1, maximum: 3000, default: 1800 },
  },
  permissions: [
    {
      key: 'knowledge_bases',
      category: 'settings',
      label: { en: 'Knowledge bases', zh: '知识库' },
      description: {
        en: 'Create knowledge bases, and change those that you own or may edit.',
        zh: '创建知识库，并修改自己的或可编辑的知识库。',
      },
      is_suggested: true,
    },
    {
      key: 'knowledge_settings',
      category: 'settings',
      label: { en: 'Search settings', zh: '检索设置' },
      description: {
        en: 'Choose the embedding model and passage size of all knowledge bases.',
        zh: '设置所有知识库的嵌入模型和段落大小。',
      },
    },
  ],
  errors: knowledgeErrors,
  events: ['knowledge_base.changed'],
  limits: {
    knowledge_bases: { default: 50, description: 'Knowledge bases of an account' },
    knowledge_documents: { default: 10_000, description: 'Documents of a knowledge base' },
    knowledge_bytes: { default: '5gb', description: 'Documents of an account, as they were uploaded' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    knowledge: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
