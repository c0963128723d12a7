import '@mantine/core/styles.layer.css'
import './base.css'
import {
  createTheme,
  defaultVariantColorsResolver,
  localStorageColorSchemeManager,
  type MantineColorsTuple,
  MantineProvider,
  type VariantColorsResolver,
} from '@mantine/core'
import type { ReactNode } from 'react'

/** Greys with a slight warmth, for the light theme. */
const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f3f2ef',
  '#e8e6e1',
  '#dad7d0',
  '#c2beb5',
  '#9b968c',
  '#6f6a61',
  '#57534c',
  '#3a3733',
  '#201e1b',
]

/** Blue-blacks, for the dark theme; text first. */
const dark: MantineColorsTuple = [
  '#d9dce3',
  '#b4b9c5',
  '#969db0',
  '#6c7489',
  '#3b4254',
  '#2b3140',
  '#1f2430',
  '#171b25',
  '#12151d',
  '#0d1017',
]

const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#dde1ff',
  '#b8c0fd',
  '#939ffa',
  '#7f8cf8',
  '#6470ee',
  '#4f5bd5',
  '#424db8',
  '#373f94',
  '#2b3173',
]

/** The red of failure and destruction, which can be read in both themes. */
const red: MantineColorsTuple = [
  '#fef3f2',
  '#fee4e2',
  '#fecdca',
  '#fda29b',
  '#f97066',
  '#e5483a',
  '#b42318',
  '#912018',
  '#7a271a',
  '#55160c',
]

/** Writes on the accent in the colour that can be read on it in each theme. */
const resolveColors: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input)
  const isAccent = input.variant === 'filled' && (input.color ?? input.theme.primaryColor) === 'indigo'
  return isAccent ? { ...colors, color: 'var(--mantine-primary-color-contrast)' } : colors
}

const theme = createTheme({
  variantColorResolver: resolveColors,
  fontFamily:
    'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC", "Noto Sans CJK SC", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
  colors: { gray, dark, indigo, red },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 4 },
  autoContrast: true,
  luminanceThreshold: 0.18,
  defaultRadius: 6,
  fontSizes: { xs: '12px', sm: '13px', md: '15px', lg: '17px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  lineHeights: { md: '1.55' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Modal: { defaultProps: { transitionProps: { duration: 120 } } },
    InputWrapper: { styles: { description: { marginBottom: 4 }, error: { marginTop: 4 } } },
    Drawer: { defaultProps: { padding: 'lg', transitionProps: { duration: 120 } } },
    Menu: { defaultProps: { transitionProps: { duration: 80 } } },
  },
})

const choice = localStorageColorSchemeManager()

/** Shows the frame of `index.html` in the theme that somebody chose, if that is not the theme of the browser. */
export function showChosenTheme(): void {
  const scheme = choice.get('auto')
  if (scheme !== 'auto') document.documentElement.dataset.mantineColorScheme = scheme
}

/** The look of the console: its colours, type and space, in the light or dark theme of the browser or of choice. */
export function Theme({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={theme} colorSchemeManager={choice} defaultColorScheme="auto">
      {children}
    </MantineProvider>
  )
}
