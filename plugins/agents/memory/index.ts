// Owns what agents remember about people. Other plugins tell where several people listen.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createMemories, type Memories, memoryIndexes } from './memories.ts'
import { memoryRoutes } from './routes.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    memory: {
      memories: Memories
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('memories', { indexes: memoryIndexes })
    host.extensionPoint('memory.listeners', { noun: 'listeners of threads' })
    host.service('memories', createMemories)
    host.limit('memories', ({ memories }, user_id) => memories.count(user_id))
    host.routes(memoryRoutes)
    host.extend('agents.removal', ({ agent_id }, { memories }) => memories.removeOfAgent(agent_id))
    host.extend('users.removal', ({ user_id }, { memories }) => memories.deleteAll(user_id))
  },
})
