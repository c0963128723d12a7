import t from '../run/file-test.ts'
import { startOddSignIns } from '../support/odd-sign-ins.ts'
import { SSO_PUBLIC_URL } from '../support/oidc-client.ts'

const { odd, server, call, comeBack, signIn } = await startOddSignIns(t)
const HOME = `${SSO_PUBLIC_URL}/connectors`
const isRefresh = ({ grant_type }: Record<string, string>) => grant_type === 'refresh_token'

t.test('A sign-in that ends during a refresh is kept', async (t) => {
  const { path } = await signIn({})
  odd.expire()
  let answer: (reply: undefined) => void = () => undefined
  const asked = new Promise<void>((resolve) => {
    odd.now = {
      token: (_right, form) => {
        if (!isRefresh(form)) return undefined
        resolve()
        return new Promise<undefined>((resolve) => {
          answer = resolve
        })
      },
    }
  })
  const slow = call('POST', `${path}/test`)
  await asked
  odd.now = {}
  const begun = await call('POST', `${path}/authorize`, {})
  t.equal((await comeBack(begun)).location, HOME)
  answer(undefined)
  await slow
  const { access_token } = odd.issued.at(-2)!
  odd.sent.length = 0
  t.match((await call('POST', `${path}/test`)).body, { ok: true })
  t.ok(odd.sent.length > 0)
  t.strictSame(
    odd.sent.filter((token) => token !== access_token),
    [],
    'the tokens of the latest sign-in are sent',
  )
  await call('DELETE', path)
})
