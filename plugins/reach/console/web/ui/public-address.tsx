import { Text } from '@mantine/core'
import { t } from '../i18n/words.ts'
import { useFacts } from '../server/facts.ts'
import { useAccount } from '../session/account.ts'
import { Outcome } from './outcome.tsx'

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0)$/

interface Props {
  /** True if others call the address that the server names, not the one at which this page was opened. */
  isNamedByServer?: boolean
}

/** A warning beside a link that nobody else can open, because the server has no address that others reach. */
export function PublicAddress({ isNamedByServer = false }: Props) {
  const { public_url } = useFacts()
  const isAdmin = useAccount().role === 'admin'
  const address = public_url ?? (isNamedByServer ? undefined : location.origin)
  if (address !== undefined && !LOOPBACK.test(new URL(address).hostname)) return null
  return (
    <Outcome color="yellow" detail={t(isAdmin ? 'common.set_address' : 'common.ask_address')}>
      <Text size="sm">
        {address === undefined ? t('common.no_address') : t('common.own_address', { address })}
      </Text>
    </Outcome>
  )
}
