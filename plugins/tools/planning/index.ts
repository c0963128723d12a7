import { definePlugin } from '#kernel'
import { askUserQuestion } from './ask-user-question.ts'
import { manifest } from './manifest.ts'
import { task } from './task.ts'
import { writeTodos } from './write-todos.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    for (const tool of [writeTodos, task, askUserQuestion]) host.extend('agents.tools', tool)
  },
})
