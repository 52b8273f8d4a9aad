// What a server tells about itself.

export interface Health {
  status: string;
  service: string;
  mode: string;
}

export interface RuntimeInfo {
  service: string;
  runtime_api_version: string;
  codewhale_version: string;
  version: string;
  codewhale_commit: string;
  bind_host: string;
  port: number;
  auth_required: boolean;
  transports: string[];
  /** What it can do, by name. */
  capabilities: Record<string, boolean>;
  [more: string]: unknown;
}
