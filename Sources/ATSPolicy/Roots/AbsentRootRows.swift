/// Rows of the roots that no release with ATS has: form and source in ``AppleRoots/published``.
enum AbsentRootRows {
    /// Generated; do not edit. Removed before iOS 9 and OS X 10.11.
    static let earlier = """
        bFy/AsGEkWYnjxzRyDWDoU - - -- 2dc62c3f6c0c A-CERT ADVANCED
        /YctF2YX5QwmYRnQ/bBHsH - - -- a6c51e0da5ca AC Raíz Certicámara S.A.
        I4SdCUkj1EpIgbY6sYXpvh - - -- 77407312c63a America Online Root Certification Authority 1
        /PfamDYD6IhiAw2WE32OEw - - -- 7d3b465a6014 America Online Root Certification Authority 2
        SC92oqk0bbsHdhm74e/s1U - - -- e3efb6118a92 AOL Time Warner Root Certification Authority 1
        Omwk6A9oHYsQR87AUcJ1lP - - -- 06a2c9a3379a AOL Time Warner Root Certification Authority 2
        6i+eCH6uu9/AVp7KGDZOUj - - -- 4e7480ad702a Arge Daten Oesterreichische Gesellschaft fuer Datenschutz
        mMop8xM4ZyGvv10U8avKod - - -- 7c7ed4240bb2 Belgium Root CA
        sC3Rkn36w76oCu1rBoJfLq - - -- 43b6c82deb91 beTRUSTed Root CA
        sb4Pel5ji1Wdi1If72AXrY - - -- da98f640194d BridgeCA
        5D3qiU9Czs9KHdYO0dq4L3 - - -- 2dc70e588d34 CertiNomis
        KDMQgZ9eCSBJlditn/b8EH - - -- 956057517ff3 CertRSA01
        ndVfxXP1RstqODHRES2HEK - - -- 1c01c6f4dbb2 China Internet Network Information Center EV Certificates Root
        LclHC+Y+9KzxvYKGCUArt7 - - -- d17cd8ecd586,51847c8cbd2e Class 1 Public Primary Certification Authority
        hgp/GSENXq0FenhTK4CVFF - - -- bd469ff45faa,944554239d91 Class 2 Public Primary Certification Authority
        sRJBQqWhpaKIGcc1NA7/jJ - - -- e7685634efac,a4b6b3996fc2 Class 3 Public Primary Certification Authority
        H0IkzshPyZztiB/2/P0+If - - -- e28393773da8 CNNIC ROOT
        Og2IXLNG2PAf0wCvFUb2NV - - -- 6e5e93ae867f Common Policy
        qQOvjAe7kbDZ4/OjDG1TM5 - - -- 0d136e439f0a DigiNotar Root CA
        M69YtViezqeSYlJHeDi6QC - - -- 959dc5880c45 DoD CLASS 3 Root CA
        wbbh3cLG6U5N+enjrveaV7 - - -- bbb24fe40e79 DoD PKI Med Root CA
        GkISI+ib2HxAO0j6YWlIRw - - -- 7b1a15d7e5e1 DST RootCA X1
        fUNNHa2ioVTUn0c+OBMQuD - - -- e57210ab812c DST RootCA X2
        3Zpr+/ROF6J/NorI4GezBz - - -- 41d4f6dcf130 ECA Root CA
        AkaSL/6lKm/GQlrcFSZAWs - - -- 5f641b5e8cb5 Entrust.net Client Certification Authority
        RX+4R7lMvQ+JsWL74mha+/ - - -- 05c9011db33f Entrust.net Client Certification Authority
        3vvP5sidXG3DWIzkfy4te1 - - -- 2f2f8702a6ed Entrust.net Secure Server Certification Authority
        nsxRNo6G40YPZsKV5JQt1T - - -- 62f240278c56 Entrust.net Secure Server Certification Authority
        /1aAzXOlcD2gSBegdf1GJQ - - -- 08297a4047db Equifax Secure Certificate Authority
        JsGNxu6m9jL2drzrodjCtI - - -- cf56ff46a4a1 Equifax Secure eBusiness CA-1
        GRbzUI7D+teV+NxL0xb5xg - - -- 2f274e48aba4 Equifax Secure eBusiness CA-2
        pvH5v4oKndwID7SbHvw9Gh - - -- 5f0b62eab5e3 Equifax Secure Global eBusiness CA-1
        O0WRggXFkSmKGSKli0kh0B - - -- 62b926726621 FNMT Clase 2 CA
        HlCqHo1r9h6RJSr/m7vvsO - - -- 2f345514b144 Free SSL Certification Authority
        xC2HlXUklogYTJaSU8Snw9 - - -- 897fa8147e09 GIP-CPS
        EGn6R6CqT4z3ERscrqNl7q - - -- a53125188d21 GTE CyberTrust Global Root
        IOJKWjOT1sOtw4T6+VFS4f - - -- 527b050527df GTE CyberTrust Root
        Blb1lVIEyNK8ixykdeKk+m - - -- bc23f98a313c http://www.valicert.com/
        CT23Z4iPaxMnVV29Qrtck/ - - -- 58d017279cd4 http://www.valicert.com/
        Md4MsZ8q27DRzXsbMe+O4+ - - -- f4c149551a30 http://www.valicert.com/
        MKsbzXvtH/Jnn3EiiCBCCn - - -- c57bacf238f9 IPS CA Chained CAs Certification Authority
        rlbYR5c9GZOQ5m5AJMn4fY - - -- b7a7ec419454 IPS CA CLASE1 Certification Authority
        k2V/hTDFlr+QnlDafY2cuz - - -- d68f7730b1ec IPS CA CLASE3 Certification Authority
        AdDY4HvFqS2n57gemlaf46 - - -- 6f2bc4cb632c IPS CA CLASEA1 Certification Authority
        TMKXWKLLm1AQmYfzdTfPDF - - -- 6cfb09893dfd IPS CA CLASEA3 Certification Authority
        SbgGhdMy4HLA57cgAyZH6E - - -- 940ef4653671 IPS CA Timestamping Certification Authority
        4mYTpXjhWMKkTk/sQebzeg - - -- f1f3cc207a6d IPS SERVIDORES
        w7xhAPV+Mg2GWfIlhGd+Vo - - -- 8fdd298d1c93 KISA RootCA 3
        HClLwlJDdokT7UrV7WHLAr - - -- 6d3795731a95 KMD-CA Kvalificeret Person
        O96XaG469R0/VyxIiMEr0d - - -- 6cf5f658436d KMD-CA Server
        k6mzyWquHNZhIV0MKgZdqW - - -- 8a968aadd88b MPHPT Certification Authority
        Ja7sY/PM1z3WHLT7vRNgNy - - -- 0b5eed4e8464 NetLock Expressz (Class C) Tanusitvanykiado
        9hRrwjjo/ODUe3B0yaJrGq - - -- e606ddeee2ee NetLock Minositett Kozjegyzoi (Class QA) Tanusitvanykiado
        Q8/8NZ8ujKpXOI7p9vHb6T - - -- 39df7b682b7b NetLock Uzleti (Class B) Tanusitvanykiado
        iCNyatho6RRNQ5UrBFqjWj - - -- 1b8d3614efe6 RSA Security 1024 V3
        Rj27mwom7SYWOXtkMSX70p - - -- 2930bd09a071 Secure Server Certification Authority
        u0Eo7JYg8tKknOjixOJXrr - - -- bf0feefb9e3a SecureSign RootCA11
        Fh6D6jLUdkHiPL4OtBOj4L - - -- f773bc65659f SERVICIOS DE CERTIFICACION - A.N.C.
        2cRzzuJflNG8YGK9YpEUdy - - -- 248302a977f4 SwissSign CA (RSA IK May 6 1999 18:00:58)
        lwOGP1tjkQPd+y3BTniuZP - - -- 77f5ec9246fb TC TrustCenter Class 0 CA
        1K9sCkgjEL18VLt6sSGRb4 - - -- 44d36a6eb212,614fd18da149 TC TrustCenter Class 1 CA
        9rWcjieJof1dWyU3Qv6txp - - -- 304985080783,8f9e2751dcd5 TC TrustCenter Class 2 CA
        iqxST8A2Yy08F/YXObaK/r - - -- 66e748e08189 TC TrustCenter Class 2 LRA-Admin CA
        S6YDHKMFsJ5TveNwUUVIHQ - - -- 76ef4762e573,88e1c7280e7c TC TrustCenter Class 3 CA
        jVBhobvz9vu/4lbxdD6EK9 - - -- 7494df110eb4 TC TrustCenter Class 3 LRA-Admin CA
        CZm/kAvVwpeGXiHhqt5s9r - - -- 392863df117e,8dbb5a7c06c2 TC TrustCenter Class 4 CA
        06JdqA23urEpoGarQVA93f - - -- bb6ce72f0e64 TC TrustCenter Time Stamping CA
        7/7h8eXzn0L/gNRxycWnma - - -- 4898c6888c0c TDC Internet Root CA
        /DuCeWtXLKlzGZNjXbjPB8 - - -- 39c75caecee8 TDC OCES CA
        R50TC/P8YdwvHVCNI5oTJ2 - - -- 2f1062f8bf84,f59db3f45d57 Thawte Personal Basic CA
        C91avpQMqqvosruog0j7b0 - - -- 57014f3cbe17,5b38bd129e83 Thawte Personal Freemail CA
        Le5RcVlquPPNPHY1/qjmww - - -- ba7f11363890,f5074a8f5b9a Thawte Personal Premium CA
        9TwiBZgX3Zb0AGUWOdL4V+ - - -- ab7036365c71,3f9f27d58320 Thawte Premium Server CA
        nG9qEjy6pO402+zu4kyX1z - - -- b4410b73e2e6,87c678bfb8b2 Thawte Server CA
        qzh2w9pd4MnPZzaGjuW4i/ - - -- cb6b05d9e8e5 Thawte Timestamping CA
        XvoHP0lCY0RIOrDdu92l41 - - -- aad9ceed5aa6 VAS Latvijas Pasts SSI(RCA)
        2oALgLKofTmeZvoZ1y/fSZ - - -- 3a43e220fe7f VeriSign Trust Network
        AjyBzOjnxk+pQtPBUEhwfT - - -- 83ce3c122968 VeriSign Trust Network
        FqngEtMjKfKCsQu/V8fAtC - - -- 341de98b1392 VeriSign Trust Network
        wHE19rRSOYJkpHdtvQpqMH - - -- 44640a0a0e4d VeriSign Trust Network
        mtuZyTqyVuzKK1NQx1BIqF - - -- 03458b6abeec Wells Fargo Root Certificate Authority
        """

    /// Generated; do not edit. In the bundle of Debian 12 or of Mozilla (certifi 2026.10.19), but in no store of Apple
    /// up to 26.0.
    static let never = """
        RTt0gJtpAZYn8vhDAB21lQ - - DD 554153b13d2c AC RAIZ FNMT-RCM SERVIDORES SEGUROS
        mlL/ajy241OghWfg3Jw5Wz - - DD fb8fec759169 ANF Secure Server Root CA
        68VfIeiNSe3oHAB1qwizxz - - DD f3896f88fe7c BJCA Global Root CA1
        zJSloDGf93pMyt2CHExZZ0 - - DD 574df6931e27 BJCA Global Root CA2
        joBG7EysAVpQfODS0BVKS0 - - DD d48d3d23eedb Certigna Root CA
        YD928oyf66g+x1HttmyNdS - - DD e59aaa816009 D-TRUST BR Root CA 1 2020
        rHb2OkbnYbWswyWXBckgy3 - - DD 0552e6f83fdf D-TRUST BR Root CA 2 2023
        nTfkqYnqs4gtEWBS/ItYRG - - DD 08170d1aa364 D-TRUST EV Root CA 1 2020
        51PN2fE0E8fKnNqCli+MDO - - DD 8e8221b2e7d4 D-TRUST EV Root CA 2 2023
        QkMWJ+p2zHhpf5FeNFWxsu - - DD beb00b30839b e-Szigno Root CA 2017
        R0h5AKG+ue4IzLwRFqjsVf - - DD b49141502d00 e-Szigno TLS Root CA 2023
        VvLqhoQQbQxzMzlRBZ0r/5 - - DD 873f4685fa7f E-Tugra Global Root CA ECC v3
        s+/79GvPZq7fcUJ+a9YL8a - - DD ef66b0b10a3c E-Tugra Global Root CA RSA v3
        1DndgPHjvFyeXxPov/eoiH - - DD eec997c0c30f OISTE Server Root ECC G1
        uWThQdOlXK4YDqahqNSil9 - - DD 9ae36232a518 OISTE Server Root RSA G1
        WBzBWCEWlpTDnCmRtT6Tq5 - - DD 4b009c103449 SecureSign Root CA14
        8AEfkvz5vjbHpbNue8hiqy - - DD e778f0f095fe SecureSign Root CA15
        05gKrdIWOMcNdKS7H4q14R - - DD 24a55c2ab051 Security Communication RootCA3
        68l4rg3Z5YItaxllJZb2IM - - DD 193144f431e0 SwissSign RSA TLS Root CA 2022 - 1
        bjZLYTPe79y7ISc8X0RaIK - - DD a1339d33281a SZAFIR ROOT CA2
        6rDeWkZBkBCwGy1VVT/BEa - - DD 578af4ded085 Telekom Security TLS ECC Root 2020
        DgXpuyOGnraJ3FaDnc7Eda - - DD efc65cadbb59 Telekom Security TLS RSA Root 2023
        hoWthQ9/Vs0WlDvLcLQ05z - - DD e0d3226aeb11 TrustAsia Global Root CA G3
        B6KQTUv/lgTqEzGumQ6f/j - - DD be4b56cb5056 TrustAsia Global Root CA G4
        9GMuWHAcC9fa/H44MTVexD - - DD c0076b9ef053 TrustAsia TLS ECC Root CA
        ViiHLiRf5mFIuAut6snED2 - - DD 06c08d7dafd8 TrustAsia TLS RSA Root CA
        yUImLAx8CpW7FStxxCVW3b - - DD 2e44102ab58c TunTrust Root CA
        BmALlMAxi7aWfwx3h8yKED - - DD 3f63bb2814be TWCA CYBER Root CA
        XEGnOrLDXfzXcfb9bj6PrJ - - DD d43af9b35473 UCA Extended Validation Root
        ElXKvoFS+mTflC96R0F+Kf - - DD 9bea11c976fe UCA Global G2 Root
        oka4Ivls/swVUVblR2lXhF - - DD 30fbba2c3223 vTrus ECC Root CA
        4GZH5SYQFgw+g8QtIuOaqH - - DD 8a71de655933 vTrus Root CA
        """
}
