import { plugin } from '#kernel'
import { workspaceErrors } from './errors.ts'
import { ls } from './ls.ts'
import { readFile } from './read-file.ts'
import { uploadRoutes } from './upload-routes.ts'
import { readWantedFiles } from './wanted-files.ts'
import { writeFile } from './write-file.ts'

export default plugin({
  name: 'workspace',
  depends: ['agents', 'auth'],
  summary: 'The tools with which agents list, read and write files of their workspace',
  errors: workspaceErrors,
  setup(host) {
    host.routes(uploadRoutes)
    host.on('agent.files_wanted', readWantedFiles)
    for (const tool of [ls, readFile, writeFile]) host.tool(tool)
  },
})
