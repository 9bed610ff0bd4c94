import { Component, type ErrorInfo, type ReactNode } from 'react'
import { translate } from '@/i18n'
import { copyText } from '@/lib/copy'
import { Button } from '@/ui/Button'

interface State {
  error: Error | null
  where: string
}

/** Never a blank page: what broke, a way to report it and a way on. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { error: null, where: '' }

  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error }
  }

  override componentDidCatch(_: Error, info: ErrorInfo): void {
    this.setState({ where: info.componentStack ?? '' })
  }

  override render(): ReactNode {
    const { error, where } = this.state
    if (!error) return this.props.children
    const details = `${error.stack ?? error.message}\n${where}\n${location.pathname}\n${navigator.userAgent}`
    return (
      <main role="alert" className="flex h-full flex-col items-center justify-center gap-4 p-6 text-center">
        <h1 className="text-xl font-bold">{translate('broken.title')}</h1>
        <p className="max-w-md text-muted">{translate('broken.about')}</p>
        <div className="flex gap-2">
          <Button tone="primary" onClick={() => location.reload()}>
            {translate('reload')}
          </Button>
          <Button onClick={() => void copyText(details)}>{translate('broken.copy')}</Button>
        </div>
      </main>
    )
  }
}
