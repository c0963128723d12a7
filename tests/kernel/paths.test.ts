import { isWithin } from '../../kernel/index.ts'
import t from '../run/file-test.ts'

t.test('a path is inside a folder by its components, not by its leading characters', async (t) => {
  const cases: [folder: string, path: string, within: boolean][] = [
    ['/srv/data', '/srv/data', true],
    ['/srv/data', '/srv/data/a/b', true],
    ['/srv/data', '/srv/data/..a', true],
    ['/srv/data/', '/srv/data/a/', true],
    ['/', '/anything', true],
    ['/srv/data', '/srv/database', false],
    ['/srv/data', '/srv', false],
    ['/srv/data', '/srv/data/../other', false],
    ['/srv/data', '/etc/passwd', false],
  ]
  for (const [folder, path, within] of cases) t.equal(isWithin(folder, path), within, `${path} in ${folder}`)
})
