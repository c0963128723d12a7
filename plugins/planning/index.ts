import { plugin } from '#kernel'
import { askUserQuestion } from './ask-user-question.ts'
import { task } from './task.ts'
import { writeTodos } from './write-todos.ts'

export default plugin({
  name: 'planning',
  summary: 'The tools with which agents plan, delegate and ask',
  setup(host) {
    for (const tool of [writeTodos, task, askUserQuestion]) host.extend('agents.tools', tool)
  },
})
