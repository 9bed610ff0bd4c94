import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { queryClient } from '@/api/queries'
import { Router } from 'wouter'
import { BASE } from '@/lib/base'
import { ErrorBoundary } from '@/ErrorBoundary'
import { Routes } from '@/routes'
import { Toasts } from '@/ui/Toasts'
import { TooltipProvider } from '@/ui/Tooltip'

export function App() {
  return (
    <ErrorBoundary>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queryClient}>
          <TooltipProvider delay={400}>
            <Toasts>
              <Router base={BASE}>
                <Routes />
              </Router>
            </Toasts>
          </TooltipProvider>
        </QueryClientProvider>
      </CSPProvider>
    </ErrorBoundary>
  )
}
