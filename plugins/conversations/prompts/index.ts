// Owns saved prompts. The server lists their variables; the client that sends a prompt asks for the values.
import { createDeclarable, createShareable, definePlugin, grantRoutes, managedIndex } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createPrompts, type PromptDocument, type Prompts, promptIndexes } from './prompts.ts'
import { promptRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    prompts: {
      prompts: Prompts
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('prompts', { indexes: [...promptIndexes, managedIndex] })
    host.service('prompts', createPrompts)
    host.limit('prompts', ({ prompts }, user_id) => prompts.count(user_id))
    host.routes(promptRoutes)
    host.routes(
      grantRoutes({
        kind: 'prompt',
        path: '/prompts/:id',
        title: 'Prompt',
        noun: 'a saved prompt',
        missing: 'PROMPT_NOT_FOUND',
      }),
    )
    host.extend('users.removal', ({ user_id }, { prompts }) => prompts.removeAllOf(user_id))
    host.extend(
      'declared.kinds',
      createDeclarable({ name: 'prompt', collection: () => host.cradle.collections.prompts }),
    )
    host.extend(
      'groups.shareables',
      createShareable<PromptDocument>({
        name: 'prompt',
        label: { en: 'Saved prompt', zh: '提示词' },
        access: ['use', 'edit'],
        is_open: false,
        collection: () => host.cradle.collections.prompts,
        owner: 'user_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.prompts.findShareable(caller, key),
        changed: (former, current) => host.cradle.prompts.noteChange(former, current),
      }),
    )
  },
})
