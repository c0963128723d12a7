import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
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
  depends: ['users', 'auth', 'providers', 'agents', 'chat'],
  config: {
    allow_hosts: {
      type: 'array',
      items: { type: 'string' },
      default: [],
      env: 'SVC_ALLOW_HOSTS',
    },
    store_url: { type: 'string', minLength: 1 },
    read_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 3600, default: 180 },
  },
  permissions: [
    {
      key: 'knowledge_bases',
      category: 'settings',
      label: { en: 'Knowledge bases', zh: '知识库' },
      description: {
        en: 'Create knowledge bases, and change and delete own ones.',
        zh: '创建知识库，并修改和删除自己的知识库。',
      },
    },
    {
      key: 'knowledge_settings',
      category: 'settings',
      label: { en: 'Knowledge settings', zh: '知识库设置' },
      description: {
        en: 'Choose the embedding model of all knowledge bases and the size of their passages.',
        zh: '为所有知识库选择嵌入模型和段落大小。',
      },
    },
  ],
  errors: knowledgeErrors,
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
