import { defineTool, objectOf, type Tool } from '#plugin-api'
import type { Python } from './python.ts'
import { PYTHON_RUNNER } from './python-runner.ts'
import { DEFAULT_SECONDS, type ProgramServices, runInWorkspace } from './workspace-program.ts'

const input = objectOf(
  {
    code: {
      type: 'string',
      maxLength: 500_000,
      pattern: '\\S',
      description: 'A whole Python 3 script. Print everything that you want to read.',
    },
    cwd: {
      type: 'string',
      maxLength: 4096,
      description: 'The folder to run in, relative to the workspace. Default: the workspace.',
    },
    timeout_seconds: {
      type: 'integer',
      minimum: 1,
      description: `Seconds after which the script is ended. Default: ${DEFAULT_SECONDS}.`,
    },
  },
  ['code'],
)

/** Creates the tool that runs Python code in the workspace; turns have it while Python 3 is there. */
export function createRunPython(services: () => ProgramServices & { python: Python }): Tool {
  const tool: Tool = defineTool({
    name: 'run_python',
    label: { en: 'Run Python', zh: '运行 Python' },
    description: `Runs a Python 3 script on the server, in the workspace, and returns what it prints, then its exit code. Use it to compute, to analyze data and to draw plots.
Figures of matplotlib that the script shows or leaves open are saved as figure-1.png and so on, and shown to the user, as are pictures, tables and PDF files that it writes in the workspace. Each call starts afresh: variables do not carry over. Only installed packages can be imported. Memory, processes and files are limited, and there may be no network.`,
    input_schema: input,
    disableable: true,
    permission: 'execute',
    same_rules_as: 'execute',
    needsApproval: () => true,
    forTurn: async () => ((await services().python.isUsable()) ? tool : null),
    execute: ({ code, ...options }, context) =>
      runInWorkspace(
        { file: 'python3', args: ['-u', '-c', PYTHON_RUNNER], stdin: code, ...options },
        context,
        services(),
      ),
  })
  return tool
}
