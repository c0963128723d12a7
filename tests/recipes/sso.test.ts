import t from '../run/file-test.ts'
import { runRecipe } from '../support/recipe-shell.ts'
import { startServer } from '../support/server.ts'

t.test(
  'the commands of docs/operators.md set up single sign-on and show the result of its rules',
  async (t) => {
    const server = await startServer(t, {
      config: {
        http: { public_url: 'https://agents.example.com' },
        plugins: { sso: { allow_hosts: ['127.0.0.1'] } },
      },
    })
    const stdout = await runRecipe(t, 'sso.sh', server, { ISSUER: 'http://127.0.0.1:1' })
    t.match(
      stdout,
      /"has_client_secret": true,\n +"redirect_uri": "https:\/\/agents\.example\.com\/api\/auth\/oauth\/callback"/,
    )
    t.match(stdout, /^\["user",\["channels"\],\["Support"\],\[1\]\]$/m)
    t.match(stdout, /^"The issuer cannot be discovered/m, 'as nobody is there')
    t.match(stdout, /^true$/m)
    t.match(stdout, /^\["oidc",true\]\n\["feishu",false\]\n\["dingtalk",false\]\n\["wecom",false\]$/m)
    t.notMatch(server.logged(), /a-secret-of-theirs/)
  },
)
