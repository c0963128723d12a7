import { Button, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { t } from '../i18n/words.ts'

/** The answer to an address that no page has, or whose page the account cannot use. */
export function NotFound({ isForbidden = false }: { isForbidden?: boolean }) {
  return (
    <Stack align="center" justify="center" h="100%" px="lg" component="main">
      <Text component="h1" m={0} fw={500} ta="center">
        {t(isForbidden ? 'frame.forbidden' : 'frame.not_found')}
      </Text>
      <Button variant="default" component={Link} to="/">
        {t('frame.to_chat')}
      </Button>
    </Stack>
  )
}
