#!/usr/bin/env bash
# run.sh [PORT]: builds Anteroom and runs it on a real Tomcat, in the foreground, at http://127.0.0.1:PORT/ (8080).
#
# The files beside this script are laid out in target/base (CATALINA_BASE) the way an operator would do it. Data lies in
# target/base/anteroom and stays over restarts. Ctrl-C or SIGTERM ends it.
#
# Environment:
#   ANTEROOM_BUILT  if set, nothing is built
#   ANTEROOM_WAR    the WAR to run, instead of target/anteroom.war
#   ANTEROOM_BASE   the CATALINA_BASE to lay out, instead of target/base
#   ANTEROOM_CONF   a folder to take the configuration files from, instead of this script's own
#   ANTEROOM_TOMCAT a Tomcat (10.1 or 11), instead of the one that the build unpacks
#   CATALINA_OPTS   options of the JVM, such as -Danteroom.archive.location=/srv/archive
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(dirname "$here")
port=${1:-8080}
base=${ANTEROOM_BASE:-$top/target/base}
conf=${ANTEROOM_CONF:-$here}

if ! [[ $port =~ ^[0-9]{1,5}$ ]] || ((10#$port < 1 || 10#$port > 65535)); then
  echo "usage: run.sh [PORT]: a port is a number from 1 to 65535, not '$port'" >&2
  exit 2
fi

# the JVM cannot name a file in Japanese in the C locale
export LC_ALL=C.UTF-8

if [[ -z ${ANTEROOM_BUILT:-} ]]; then
  (cd "$top" && mvn -q -B -ntp -DskipTests package)
fi
home=${ANTEROOM_TOMCAT:-$(ls -d "$top"/target/tomcat11/apache-tomcat-* | tail -n 1)}

mkdir -p "$base"/{conf/Catalina/localhost,wars,webapps,logs,temp,work,anteroom}

# the distribution's own defaults: conf/ in Apache's layout, etc/ in Debian's
defaults=$home/conf
[[ -f $defaults/web.xml ]] || defaults=$home/etc
cp "$defaults/web.xml" "$defaults/catalina.properties" "$base/conf/"
cp "$conf"/{server.xml,logging.properties,anteroom.properties} "$base/conf/"
cp "$conf/anteroom.xml" "$base/conf/Catalina/localhost/ROOT.xml"
rm -rf "$base/webapps/ROOT"
cp "${ANTEROOM_WAR:-$top/target/anteroom.war}" "$base/wars/anteroom.war"

# a user to try things with; the shipped file has none
password=$base/conf/operator.password
(
  umask 077
  [[ -s $password ]] || od -An -N 12 -t x1 /dev/urandom | tr -d ' \n' >"$password"
  {
    sed '/<\/tomcat-users>/d' "$conf/tomcat-users.xml"
    printf '  <user username="operator" password="%s" roles="anteroom-viewer,anteroom-operator"/>\n' "$(<"$password")"
    echo '</tomcat-users>'
  } >"$base/conf/tomcat-users.xml"
)

echo "Anteroom at http://127.0.0.1:$port/, data in $base/anteroom"
echo "API user: operator, password in $password"

export CATALINA_HOME=$home
export CATALINA_BASE=$base
export CATALINA_OPTS="-Danteroom.port=$port -Dfile.encoding=UTF-8 ${CATALINA_OPTS:-}"
exec "$home/bin/catalina.sh" run
