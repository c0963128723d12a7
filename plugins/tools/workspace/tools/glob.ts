import { objectOf, type Tool, type TypeOf } from '#plugin-api'
import { explainErrors } from '../files/file-failure.ts'
import { findPlace, inFolder } from '../files/workspace-path.ts'
import { fitOutput, formatName } from '../output.ts'
import { createPace, describeGaps, walkFiles } from '../search/file-walk.ts'
import { parseGlob } from '../search/glob-pattern.ts'

const MAX_RESULTS = 1000
const TIME_MS = 10_000

const input = objectOf(
  {
    pattern: {
      type: 'string',
      minLength: 1,
      maxLength: 4096,
      description:
        'A pattern for paths below the folder: * and ? within a name, ** for any folders, [a-z], [!a-z], {a,b}. A backslash escapes the next character.',
    },
    path: {
      type: 'string',
      maxLength: 4096,
      description: 'The folder to search in, relative to the workspace. Default: the workspace.',
    },
  },
  ['pattern'],
)

/** Finds files by their paths. */
export const glob: Tool = {
  name: 'glob',
  label: { en: 'Find files', zh: '查找文件' },
  description: `Finds files of the workspace by a pattern such as **/*.md, at most ${MAX_RESULTS}, sorted by path. Folders and links are not listed, links are not followed. Hidden names match only if the pattern itself has their dot.`,
  input_schema: input,
  disableable: false,
  execute({ pattern, path = '.' }: TypeOf<typeof input>, { workspace, signal }) {
    return explainErrors(path, async () => {
      signal.throwIfAborted()
      const parsed = parseGlob(pattern)
      const location = await findPlace(workspace, path)
      return inFolder(location, async (folder) => {
        const { files, gaps } = walkFiles(folder, { pattern: parsed, pace: createPace(TIME_MS, { signal }) })
        const paths: string[] = []
        for await (const file of files) if (paths.push(file.path) > MAX_RESULTS) break
        const isCut = paths.splice(MAX_RESULTS).length > 0
        const lines = paths.map((path) => formatName([...location.parts, path].join('/')))
        const cut = isCut ? [`[cut: only the first ${MAX_RESULTS} files are listed]`] : []
        return fitOutput(lines.join('\n') || '(no file matches)', [...cut, ...describeGaps(gaps)])
      })
    })
  },
}
