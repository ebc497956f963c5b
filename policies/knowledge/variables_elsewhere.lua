-- Variables that decide which repository, account, cluster, toolchain or settings a program uses.
-- Values that name something of the project, of this machine, or a version, are harmless.
local NAME = '[A-Za-z0-9_.-]+'
local RELATIVE = '(?:\\./)?(?:' .. NAME .. '|\\.)(?:/' .. NAME .. ')*/?|'
local OWN = '(?:(?:\\$PWD|\\$\\{PWD\\}|\\$HOME|\\$\\{HOME\\}|~|/home/[^/$]+|/root|'
  .. '/Users/[^/$]+|/workspaces?|'
  .. '/work|/app|/src|/builds|/github|/opt|/usr)(?:/' .. NAME .. ')*/?)?|' .. RELATIVE
local VERSION = '[0-9]+(?:\\.[0-9x*]+)*(?:[-+][A-Za-z0-9.]+)?|'
local HERE = '(?i)(?:[a-z0-9+]+://)?(?:[A-Za-z0-9_.~-]+(?::[^@/$]*)?@)?(?:localhost|'
  .. '127\\.0\\.0\\.1|'
  .. '\\[::1\\]|0\\.0\\.0\\.0|db|postgres|postgresql|mysql|mariadb|redis|mongo|database|'
  .. 'host\\.docker\\.internal|elasticsearch|rabbitmq|minio|localstack)(?::[0-9]+)?(?:[/?].*)?|'
local LOCAL_ACCOUNT = '(?:dev|test|local|localstack|localhost|default|minikube|'
  .. 'kind(?:-[a-z0-9-]+)?|'
  .. 'docker-desktop|desktop-linux|rancher-desktop|k3d-[a-z0-9-]+|orbstack|colima|sandbox|'
  .. 'staging-local|'
  .. 'development|)'

return {
  -- Accounts, clusters and endpoints of clouds.
  {
    names = 'AWS_PROFILE AWS_DEFAULT_PROFILE AWS_VAULT CLOUDSDK_CORE_PROJECT CLOUDSDK_CORE_ACCOUNT '
      .. 'CLOUDSDK_ACTIVE_CONFIG_NAME GOOGLE_CLOUD_PROJECT GCLOUD_PROJECT ARM_SUBSCRIPTION_ID '
      .. 'AZURE_SUBSCRIPTION_ID KUBE_CONTEXT KUBECTX KUBECONTEXT HELM_KUBECONTEXT HELM_NAMESPACE '
      .. 'DOCKER_CONTEXT BUILDX_BUILDER TF_WORKSPACE PULUMI_STACK FLY_APP HEROKU_APP '
      .. 'VERCEL_PROJECT_ID '
      .. 'DOPPLER_CONFIG DOPPLER_PROJECT KOPS_CLUSTER_NAME NOMAD_NAMESPACE VAULT_NAMESPACE '
      .. 'OC_CONTEXT '
      .. 'GH_HOST GITLAB_HOST GH_REPO OCI_CLI_PROFILE OS_CLOUD DIGITALOCEAN_CONTEXT HCLOUD_CONTEXT '
      .. 'NATS_CONTEXT '
      .. 'ANSIBLE_LIMIT SNOWFLAKE_CONNECTION_NAME DATABRICKS_CONFIG_PROFILE SCW_PROFILE',
    safe = LOCAL_ACCOUNT,
  },
  {
    names = 'AWS_ENDPOINT_URL AWS_ENDPOINT_URL_* VAULT_ADDR CONSUL_HTTP_ADDR NOMAD_ADDR '
      .. 'ETCDCTL_ENDPOINTS '
      .. 'DATABASE_URL DATABASE_URI DB_URL DB_HOST POSTGRES_URL POSTGRES_HOST POSTGRES_URI '
      .. 'MYSQL_URL '
      .. 'MYSQL_HOST MYSQL_URI MONGO_URL MONGO_URI MONGODB_URI MONGODB_URL REDIS_URL REDIS_HOST '
      .. 'REDIS_URI '
      .. 'PGHOST PGHOSTADDR PGSERVICE PGDATABASE_URL RABBITMQ_URL AMQP_URL KAFKA_BROKERS NATS_URL '
      .. 'ES_URL '
      .. 'ELASTIC_URL '
      .. 'ELASTICSEARCH_URL SQLALCHEMY_DATABASE_URI DIRECT_URL SHADOW_DATABASE_URL '
      .. 'KUBERNETES_MASTER '
      .. 'KUBERNETES_SERVICE_HOST SUPABASE_DB_URL SENTRY_URL NPM_CONFIG_PROXY npm_config_proxy '
      .. 'npm_config_https_proxy CARGO_HTTP_PROXY ftp_proxy FTP_PROXY socks_proxy SOCKS_PROXY',
    safe = HERE .. '(?:sqlite|file|jdbc:sqlite|jdbc:h2|sqlite3)[:/].*|.*\\.(?:db|sqlite3?)|'
      .. '\\$\\{?(?:TEST|CI|LOCAL)_[A-Z_]+\\}?|/(?:tmp|var/run|run)/[A-Za-z0-9_./-]*',
  },
  -- Settings files, plugins and extra words of their command lines.
  {
    names = 'AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE DOCKER_CONFIG BUILDKIT_HOST '
      .. 'CCACHE_COMPILER AWKPATH AWKLIBPATH GAWK_PERSIST_FILE '
      .. 'TF_CLI_ARGS TF_CLI_ARGS_* TF_CLI_CONFIG_FILE TERRAFORM_CONFIG TF_PLUGIN_CACHE_DIR '
      .. 'TF_DATA_DIR '
      .. 'TF_REATTACH_PROVIDERS TG_* TERRAGRUNT_* HELM_PLUGINS HELM_CONFIG_HOME HELM_DATA_HOME '
      .. 'HELM_REPOSITORY_CONFIG KREW_ROOT CLOUDSDK_CONFIG CLOUDSDK_PYTHON AZURE_CONFIG_DIR '
      .. 'ANSIBLE_CONFIG ANSIBLE_LIBRARY ANSIBLE_INVENTORY ANSIBLE_ROLES_PATH ANSIBLE_*_PLUGINS '
      .. 'ANSIBLE_SSH_ARGS ANSIBLE_SSH_EXECUTABLE VAULT_CONFIG_PATH VAULT_TOKEN_HELPER '
      .. 'GH_CONFIG_DIR '
      .. 'GLAB_CONFIG_DIR PGSERVICEFILE PGSYSCONFDIR PGPASSFILE PSQLRC MYSQL_HOME '
      .. 'MYSQL_TEST_LOGIN_FILE '
      .. 'LIBMYSQL_PLUGINS SQLITE_HISTORY MYCLI_HISTFILE GLAMOUR_STYLE LESSEDIT LESSHISTFILE '
      .. 'EMACSLOADPATH EMACSDATA EMACSPATH NIX_PATH NIX_CONF_DIR NIX_USER_CONF_FILES NIX_CONFIG '
      .. 'HOMEBREW_PREFIX HOMEBREW_REPOSITORY HOMEBREW_BOTTLE_DOMAIN CONFIG_SITE CONFIG_SHELL '
      .. 'COVERAGE_PROCESS_START PYTEST_DISABLE_PLUGIN SSLKEYLOGFILE '
      .. 'BUN_CONFIG_* DENO_CERT DENO_AUTH_TOKENS ELECTRON_RUN_AS_NODE ELECTRON_OVERRIDE_DIST_PATH '
      .. 'VSCODE_EXTENSIONS SOPS_* AGE_* CHEZMOI_* EZA_CONFIG_DIR BAT_CONFIG_PATH '
      .. 'STARSHIP_CONFIG SYSTEMD_LESS SYSTEMD_UNIT_PATH '
      .. 'DBUS_SESSION_BUS_ADDRESS '
      .. 'DBUS_SYSTEM_BUS_ADDRESS XDG_RUNTIME_DIR GLIBC_TUNABLES RES_OPTIONS LOCALDOMAIN '
      .. 'RESOLV_ADD_TRIM_DOMAINS '
      .. 'GST_PLUGIN_PATH QT_PLUGIN_PATH GTK_MODULES GTK_PATH GIO_MODULE_DIR GIO_EXTRA_MODULES '
      .. 'VK_LAYER_PATH VK_ICD_FILENAMES LIBGL_DRIVERS_PATH OCL_ICD_VENDORS FONTCONFIG_FILE '
      .. 'SASL_PATH KRB5_CONFIG KRB5CCNAME LDAPRC LDAPCONF CURL_SSL_BACKEND SCREENRC '
      .. 'npm_config_globalignorefile npm_config_init_module npm_config_cafile '
      .. 'YARN_REGISTRY YARN_PLUGINS YARN_*_REGISTRY* YARN_ENABLE_*CHECKSUM* '
      .. 'UV_CONFIG_FILE UV_FIND_LINKS PIP_FIND_LINKS PIP_TRUSTED_HOST PIP_CERT '
      .. 'POETRY_REPOSITORIES_* '
      .. 'GEMRC BUNDLE_CONFIG BUNDLE_MIRROR* COMPOSER_HOME COMPOSER_MIRROR* MAVEN_SETTINGS '
      .. 'CARGO_REGISTRIES_* CARGO_SOURCE_* GONOSUMCHECK GOVCS GOAUTH '
      .. 'GIT_ATTR_SOURCE GIT_NAMESPACE GIT_SHALLOW_FILE GIT_GRAFT_FILE GIT_REPLACE_REF_BASE '
      .. 'GIT_SSL_CAINFO GIT_SSL_CERT HGRCPATH SSH_AUTH_SOCK',
    safe = '',
  },
  -- Which tmux or screen is talked to: without a value, the person's own.
  { names = 'TMUX TMUX_TMPDIR STY SCREENDIR', safe = '[^\\s\\S]' },
  -- Turning off what checks the other side.
  {
    names = 'NODE_TLS_REJECT_UNAUTHORIZED PYTHONHTTPSVERIFY', safe = '1|',
  },
  {
    names = 'GIT_SSL_NO_VERIFY CURL_INSECURE HOMEBREW_CURLRC '
      .. '', safe = '0|false|',
  },
  { names = 'npm_config_ignore_scripts npm_config_strict_ssl NPM_CONFIG_STRICT_SSL',
  safe = 'true|1|' },
  -- Toolchains.
  { names = 'RUSTUP_TOOLCHAIN', safe = '(?:stable|beta|nightly|[0-9.]+)(?:-[a-z0-9_-]+)*|' },
  { names = 'GOTOOLCHAIN', safe = '(?:local|auto|go[0-9.]+(?:rc[0-9]+)?)(?:\\+auto)?|' },
  {
    names = 'PYENV_VERSION RBENV_VERSION NODENV_VERSION JENV_VERSION UV_PYTHON '
      .. 'ASDF_*_VERSION GOENV_VERSION ',
    safe = VERSION .. '(?:system|python|cpython|pypy|node|nodejs|lts|latest)[A-Za-z0-9@.-]*|'
      .. 'python3',
  },
  {
    names = 'RUSTUP_HOME CARGO_HOME GOROOT GOENV GOBIN GOPATH JAVA_HOME JRE_HOME DOTNET_ROOT '
      .. 'BUN_INSTALL '
      .. 'DENO_DIR DENO_INSTALL NVM_DIR PYENV_ROOT RBENV_ROOT VIRTUAL_ENV CONDA_PREFIX CONDA_EXE '
      .. 'MAMBA_EXE MAMBA_ROOT_PREFIX ERL_LIBS ERL_ROOTDIR MIX_ARCHIVES MIX_HOME HEX_HOME '
      .. 'ANDROID_HOME '
      .. 'ANDROID_SDK_ROOT ANDROID_NDK_HOME FLUTTER_ROOT SDKMAN_DIR VOLTA_HOME FNM_DIR ASDF_DIR '
      .. 'ASDF_DATA_DIR MISE_DATA_DIR MISE_CONFIG_FILE KOTLIN_HOME SCALA_HOME ANT_HOME GROOVY_HOME '
      .. 'LLVM_CONFIG_PATH LLVM_CONFIG CUDA_HOME CUDA_PATH VCPKG_ROOT EMSDK QTDIR SDKROOT '
      .. 'DEVELOPER_DIR '
      .. 'TOOLCHAINS XDG_DATA_HOME STACK_ROOT CABAL_DIR OPAMROOT OPAMSWITCH NIX_PROFILES '
      .. 'ZIG_LIB_DIR '
      .. 'SWIFT_EXEC GNUPGHOME TEXINPUTS TEXMFHOME CMAKE_PREFIX_PATH CMAKE_MODULE_PATH '
      .. 'CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH PKG_CONFIG_LIBDIR PKG_CONFIG PKG_CONFIG_SYSROOT_DIR '
      .. 'ACLOCAL_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH PYTHON NODE '
      .. 'npm_config_nodedir npm_node_execpath npm_execpath PYTHON3 PERL RUBY AWK SED M4 YACC '
      .. 'LEX FLEX BISON',
    safe = OWN .. '(?:python3?|node|perl|ruby|g?awk|g?sed|m4|yacc|bison|flex|lex|pkg-config|'
      .. 'pkgconf)'
      .. '[0-9.]*|(?::?(?:' .. OWN .. '\\$[A-Z_]+))*',
  },
  -- Words for compilers and linkers: nothing that loads or runs a file.
  {
    names = 'CFLAGS CXXFLAGS CPPFLAGS LDFLAGS LDLIBS FFLAGS ASFLAGS CGO_CFLAGS CGO_LDFLAGS '
      .. 'CGO_CXXFLAGS '
      .. 'EXTRA_CFLAGS HOSTCFLAGS CL _CL_',
    safe = '(?:(?:-O[0-9a-z]*|-g[0-9a-z-]*|-W(?:[a-km-z][A-Za-z0-9+=-]*|'
      .. 'l,(?:-[a-zA-Z](?:,[A-Za-z0-9_./$=-]*)?'
      .. '|--(?:as-needed|no-undefined|gc-sections|build-id[a-z0-9=]*|strip-all|'
      .. '[a-z]*-?rpath[a-z-]*'
      .. '[=,][A-Za-z0-9_./$-]*|no-as-needed|export-dynamic|start-group|'
      .. 'end-group))*(?:,[A-Za-z0-9_=./-]+)*)?|'
      .. '-f(?:[a-oq-tv-z][A-Za-z0-9=,_./-]*|p(?:ic|ie|ermissive|rofile[A-Za-z0-9=,_./-]*|'
      .. 'ack-struct[=0-9]*)|'
      .. 'PIC|PIE|unroll[a-z-]*|use-ld=(?:lld|gold|mold|bfd)|unsigned-char)|-m[A-Za-z0-9=+.-]+|'
      .. '-std=[a-z0-9+]+|-[DU][A-Za-z_][^ $`]*|-[IL] ?[A-Za-z0-9_./$(){}-]+|-l[A-Za-z0-9_+.-]+|'
      .. '-(?:pthread|static|shared|pipe|s|c|v|w|p|pg|ansi|pedantic|rdynamic|nostdlib|coverage|'
      .. 'static-libgcc|static-libstdc\\+\\+|isystem ?[A-Za-z0-9_./-]+|arch [a-z0-9_]+)|--coverage|'
      .. '--sysroot=[A-Za-z0-9_./-]+|-framework [A-Za-z]+|\\$\\{?[A-Z_]*FLAGS\\}?|'
      .. '\\$\\{?[A-Z_]*LIBS\\}?) *)*',
  },
}
