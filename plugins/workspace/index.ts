import { plugin } from '#kernel'
import { ls } from './ls.ts'
import { readFile } from './read-file.ts'
import { writeFile } from './write-file.ts'

export default plugin({
  name: 'workspace',
  summary: 'The tools with which agents list, read and write files of their workspace',
  setup(host) {
    for (const tool of [ls, readFile, writeFile]) host.tool(tool)
  },
})
