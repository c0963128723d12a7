import { defineManifest, definePlugin } from '#plugin-api'
import { askUserQuestion, task, writeTodos } from './tools.ts'

const manifest = defineManifest({
  name: 'planning',
  summary: 'The tools with which agents plan, delegate and ask',
})

declare module '#kernel/types' {
  interface Manifests {
    planning: typeof manifest
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    for (const tool of [writeTodos, task, askUserQuestion]) host.extend('agents.tools', tool)
  },
})
