declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Lists the second factors of accounts, by the account's id; accounts without one may be left out. */
    'accounts.second_factors': (asked: {
      user_ids: readonly string[]
    }) => Promise<ReadonlyMap<string, readonly string[]>>
  }
}
