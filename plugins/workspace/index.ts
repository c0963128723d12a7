import { plugin } from '#kernel'
import { workspaceErrors } from './errors.ts'
import { editFile } from './tools/edit-file.ts'
import { glob } from './tools/glob.ts'
import { grep } from './tools/grep.ts'
import { ls } from './tools/ls.ts'
import { readFile } from './tools/read-file.ts'
import { writeFile } from './tools/write-file.ts'
import { keepSentFile, uploadRoutes } from './upload-routes.ts'
import { readWantedFiles } from './wanted-files.ts'
import { createWorkspaceFiles, type WorkspaceFiles } from './workspace-files.ts'
import { createWorkspaceNotes } from './workspace-notes.ts'

declare module '#kernel/types' {
  interface Services {
    workspaceFiles: WorkspaceFiles
  }
}

export default plugin({
  name: 'workspace',
  depends: ['agents', 'auth'],
  summary: 'The tools with which agents list, find, search, read, write and edit files of their workspace',
  errors: workspaceErrors,
  setup(host) {
    host.service('workspaceFiles', createWorkspaceFiles)
    host.routes(uploadRoutes)
    host.on('agent.files_wanted', readWantedFiles)
    host.on('agent.file_sent', keepSentFile)
    for (const tool of [ls, readFile, glob, grep, writeFile, editFile]) host.tool(tool)
    const notes = createWorkspaceNotes()
    host.on('agent.instructed', notes.onInstructed)
    host.on('agent.deleted', notes.onDeleted)
  },
})
