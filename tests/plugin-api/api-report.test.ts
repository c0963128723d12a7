import { readFileSync } from 'node:fs'
import t from '../run/file-test.ts'
import { API_REPORT, describeApi } from '../support/api-report.ts'

t.test('the public surface is what plugin-api/api-report.md says', async (t) => {
  t.equal(describeApi(), readFileSync(API_REPORT, 'utf8'), '`npm run api-report` brings it up to date')
})
