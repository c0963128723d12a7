import { Button, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t, type WordKey } from '../i18n/words.ts'

interface Props {
  state?: 'open' | 'forbidden' | 'missing'
  /** The name of the permission that a forbidden page needs. */
  permission?: WordKey | undefined
}

/** The answer to an address that no page has, or whose page the account cannot use. */
export function NotFound({ state = 'missing', permission }: Props) {
  const forbidden = permission ? t('frame.needs_permission', { name: t(permission) }) : t('frame.forbidden')
  return (
    <Stack align="center" justify="center" h="100%" px="lg" component="main">
      <Text component="h1" m={0} fw={500} ta="center">
        {state === 'forbidden' ? forbidden : t('frame.not_found')}
      </Text>
      <Button variant="default" component={Link} to="/">
        {t('frame.to_chat')}
      </Button>
    </Stack>
  )
}
