import { AppError, type Command, type Route, rowOf } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { route } from './manifest.ts'

/** Removes the app, the recovery codes and the passkeys of an account. */
async function removeAll(user_id: string, { totpFactors, passkeys }: Cradle): Promise<void> {
  await totpFactors.remove(user_id)
  await passkeys.removeAllOf(user_id)
}

const resetFactors = route({
  method: 'DELETE',
  path: '/users/:id/second-factors',
  operation_id: 'resetSecondFactors',
  summary: 'Remove the second factors of an account',
  description:
    'For people who lost their device: removes the authenticator app, the recovery codes and the passkeys of the account, which then signs in with its password alone. Sessions stay; reset the password as well if somebody else may have it. Your own account needs a code instead.',
  guard: ['permission', 'users'],
  scope: 'session',
  params: rowOf({ id: { type: 'string', description: 'A username or an id' } }),
  response: { 204: null },
  errors: ['NOT_FOUND', 'ADMINISTRATOR_PROTECTED', 'ACCOUNT_EXCEEDS', 'SELF_RESET'],
  audit: 'user.reset_second_factors',
}).handle(async ({ caller, params }, cradle) => {
  await cradle.accounts.actOnSignIn(caller, params.id, async ({ _id }) => {
    if (_id === caller.id) throw new AppError('SELF_RESET')
    await removeAll(_id, cradle)
  })
})

/** The route with which user managers help people who lost their device. */
export const resetRoutes: Route<Cradle>[] = [resetFactors]

/** `svc user reset-two-factor`: for operators, also if the only administrator has lost the device. */
export const resetCommand: Command<Cradle> = {
  name: 'user reset-two-factor',
  summary: 'Remove the authenticator app, the recovery codes and the passkeys of an account',
  arguments: [{ name: 'username', summary: 'username or id of the account', required: true }],
  audit: 'user.reset_second_factors',
  async run({ args, stdout }, cradle) {
    const { _id, username } = await cradle.accounts.find(args[0]!)
    await removeAll(_id, cradle)
    stdout.write(`${username} now signs in with the password only\n`)
    return 0
  },
}
