import { setTimeout as pause } from 'node:timers/promises'
import { AppError, deferSchema, isUnavailable, type Locale, type TypeOf } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import type { Account } from '../users/types.ts'
import type { Accounts } from './accounts.ts'
import type { ImportedRow } from './import-file.ts'
import type { Cradle } from './manifest.ts'
import type { PasswordLinks } from './password-links.ts'
import { type importResult, newImportedAccount } from './schemas.ts'

/** The time until the next attempt when too many passwords are being checked, in milliseconds. */
const BUSY_MS = 1000

/** The result of a row. */
export type ImportResult = TypeOf<typeof importResult>

/** The request that brought the file. */
interface ImportRequest {
  caller: AuthCaller
  ip: string
  request_id: string
  locale: Locale
}

const checkAccount = deferSchema<TypeOf<typeof newImportedAccount>>(newImportedAccount, 'json')

/** Creates accounts from the rows of a file. */
export type Imports = ReturnType<typeof createImports>

/** Creates the import. */
export function createImports({
  accounts,
  passwordLinks,
  extensions,
  explainError,
  clock,
}: { accounts: Accounts; passwordLinks: PasswordLinks } & Pick<
  Cradle,
  'extensions' | 'explainError' | 'clock'
>) {
  /** Creates an account; waits while too many passwords are being checked. */
  const create = async (
    caller: AuthCaller,
    newAccount: TypeOf<typeof newImportedAccount>,
  ): Promise<Account> => {
    for (;;)
      try {
        return await accounts.create(caller, newAccount)
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'PASSWORD_CHECKS_BUSY') throw error
        await pause(BUSY_MS)
      }
  }

  const audit = (
    { caller, ip, request_id }: ImportRequest,
    { password, ...newAccount }: TypeOf<typeof newImportedAccount>,
  ) =>
    extensions['kernel.audit'].ask({
      ts: clock.seconds(),
      actor: caller.username,
      action: 'user.create',
      target: newAccount.username.toLowerCase(),
      payload: { ...newAccount, is_imported: true },
      status: 201,
      ip,
      request_id,
      credential: caller.credential?.name,
    })

  const importRow = async (row: ImportedRow, request: ImportRequest): Promise<ImportResult> => {
    const newAccount = toAccount(row)
    const user = await create(request.caller, newAccount)
    await audit(request, newAccount)
    const { _id: id, username } = user
    const link = newAccount.password === undefined ? await passwordLinks.create(user) : {}
    return { row: row.number, username, status: 201, id, ...link }
  }

  return {
    /** Creates the accounts of the rows one after another, and yields the result of each. */
    async *run(rows: readonly ImportedRow[], request: ImportRequest): AsyncGenerator<ImportResult> {
      const explain = ({ number, cells }: ImportedRow, error: unknown): ImportResult => ({
        row: number,
        username: cells.username?.toLowerCase() ?? null,
        error: explainError(error, request.locale, request.request_id),
      })
      const firstRows = new Map<string, number>()
      let outage: unknown
      for (const row of rows) {
        const username = row.cells.username?.toLowerCase() ?? ''
        const first = firstRows.get(username)
        firstRows.set(username, first ?? row.number)
        try {
          if (outage) throw outage
          if (first !== undefined && username) throw new AppError('USERNAME_REPEATED', { row: first })
          yield await importRow(row, request)
        } catch (error) {
          if (isUnavailable(error)) outage = error
          yield explain(row, error)
        }
      }
    },
  }
}

/** Returns the account that a row describes. Throws VALIDATION_FAILED. */
function toAccount({ cells: { groups, ...texts }, isTooWide }: ImportedRow) {
  if (isTooWide) {
    const message = 'must not have more cells than there are columns'
    throw new AppError('VALIDATION_FAILED', { issues: [{ path: '', rule: 'columns', message }] })
  }
  const names = (groups ?? '').split(';').map((name) => name.trim())
  return checkAccount({ ...texts, ...(groups && { groups: [...new Set(names.filter(Boolean))] }) })
}
