import { definePlugin, defineRoute } from 'agent-platform-service/plugin-api'

declare module 'agent-platform-service/plugin-api' {
  interface Collections {
    '{{name}}': { __SNAKE__: { _id: string; user_id: string; text: string; created_at: number } }
  }
  interface Events {
    '__SNAKE__.added': { id: string; user_id: string }
  }
}

const label = { en: '{{name}}', zh: '{{name}}' }
const text = { type: 'string', minLength: 1, maxLength: 1000 } as const
const postNote = {
  method: 'POST',
  path: '/{{name}}',
  summary: 'Store a note',
  guard: ['permission', '__SNAKE__'],
  body: { type: 'object', properties: { text }, required: ['text'], additionalProperties: false },
  response: {
    201: { type: 'object', properties: { id: { type: 'string' }, text }, required: ['id', 'text'] },
  },
  audit: { action: '__SNAKE__.add', target: 'id' },
} as const

export default definePlugin({
  name: '{{name}}',
  summary: 'Stores notes for a day',
  kernel: 1,
  depends: ['auth'],
  permissions: [{ key: '__SNAKE__', category: 'features', label, description: label }],
  events: ['__SNAKE__.added'],
  setup(host) {
    host.collection('__SNAKE__', { indexes: [{ key: { created_at: 1 } }] })
    host.routes([
      defineRoute(postNote).handle(async ({ body, caller }, { collections, clock, events, ids }) => {
        const note = { _id: ids.make(), user_id: caller.id, text: body.text, created_at: clock.seconds() }
        await collections.__SNAKE__.insertOne(note)
        await events.emit('__SNAKE__.added', { id: note._id, user_id: caller.id })
        return { id: note._id, text: note.text }
      }),
    ])
    // {{slots}}
    host.on('__SNAKE__.added', ({ id }, { log }) => log.info({ id }, 'a note was stored'))
    host.job({
      name: '{{name}}.expiry',
      every_seconds: 3600,
      run: ({ collections, clock }) =>
        collections.__SNAKE__.deleteMany({ created_at: { $lt: clock.seconds() - 86_400 } }),
    })
  },
})
